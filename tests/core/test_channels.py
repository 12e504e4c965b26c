"""Every set of exact channels, and both controls, leave the output as vanilla's."""

from dataclasses import replace
from itertools import combinations

import pytest

from eagley_core.config import DecodeConfig
from eagley_core.prior import Prior
from tests.core.tiny import COSTS, TinyEngine, steps, tiny_draft, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41, 5, 9, 60]
CHANNELS = ("recycled", "suffix", "draft-state")
SUBSETS = [set_ for n in range(len(CHANNELS) + 1) for set_ in combinations(CHANNELS, n)]
CONTROLS = [("ngram",), ("recycled", "suffix", "more-draft"), ("recycled:accepted",)]


@pytest.fixture(scope="module")
def engine() -> TinyEngine:
    target = tiny_target()
    return TinyEngine(target, tiny_draft(target))


def config(channels: tuple[str, ...], temperature: float = 0) -> DecodeConfig:
    return DecodeConfig("eagley", 60, temperature=temperature, seed=3, reuse=channels)


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("channels", [*SUBSETS, *CONTROLS, ("recycled:rejected",)], ids=",".join)
def test_the_output_is_vanillas(engine, channels, temperature):
    vanilla = DecodeConfig("vanilla", 60, temperature=temperature, seed=3)
    found = tokens(engine, PROMPT, config(channels, temperature))
    assert found == tokens(engine, PROMPT, vanilla)


@pytest.mark.parametrize("channel", ["recycled", "suffix", "ngram"])
def test_a_channels_nodes_are_seen_and_carry_its_name(engine, channel):
    found = steps(engine, PROMPT, config((channel,)))
    sources = {source for step in found for label in step.labels or () for source in label.sources}
    assert sources == {"draft", channel}


@pytest.mark.parametrize(("part", "rejected"), [("accepted", False), ("rejected", True)])
def test_a_part_of_the_rows_is_kept_alone(engine, part, rejected):
    found = steps(engine, PROMPT, config((f"recycled:{part}",)))
    labels = [label for step in found for label in step.labels or () if label.origin]
    assert labels
    assert {label.origin.rejected for label in labels} == {rejected}


@pytest.fixture
def dear(engine) -> TinyEngine:
    """Its draft costs more than it brings, and its store is trusted."""
    costs = replace(COSTS, feed=0.5, extend=0.5)
    made = TinyEngine(engine.target, engine.draft, costs=costs)
    made.prior = Prior({f"open recycled-{n}": (3.0, 0.0, 1.0, 0.0) for n in (1, 2)})
    return made


def test_steps_go_without_a_dear_draft_where_the_store_promises_enough(dear):
    found = steps(dear, PROMPT, config(CHANNELS))[1:]
    skipped = [step for step in found if step.draft_passes == 0]
    assert skipped and len(skipped) < len(found)
    assert any(step.path for step in skipped)
    assert all("draft" not in label.sources for step in skipped for label in step.labels)


def test_the_control_has_as_many_nodes_and_all_are_the_drafts(engine):
    found = steps(engine, PROMPT, config(("recycled", "more-draft")))[1:]
    assert {label.sources for step in found for label in step.labels} == {("draft",)}


def test_the_control_drafts_where_stored_nodes_alone_would_do(dear):
    found = steps(dear, PROMPT, config((*CHANNELS, "more-draft")))[1:]
    assert all(step.draft_passes for step in found)
    assert {label.sources for step in found for label in step.labels} == {("draft",)}
