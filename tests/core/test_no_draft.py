"""EAGLEY without a draft: what the target predicted before is all that it proposes."""

import pytest

from eagley_core.config import DecodeConfig
from tests.core.tiny import TinyEngine, steps, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41, 5, 9, 60]


@pytest.fixture(scope="module")
def engine() -> TinyEngine:
    return TinyEngine(tiny_target(), None)


@pytest.mark.parametrize("temperature", [0, 0.8])
def test_the_output_is_vanillas(engine, temperature):
    vanilla = DecodeConfig("vanilla", 60, temperature=temperature, seed=3)
    eagley = DecodeConfig("eagley", 60, temperature=temperature, seed=3)
    assert tokens(engine, PROMPT, eagley) == tokens(engine, PROMPT, vanilla)


def test_only_recycled_nodes_are_proposed_and_some_are_accepted(engine):
    found = steps(engine, PROMPT, DecodeConfig("eagley", 60, reuse=("recycled",)))[1:]
    sources = {label.sources for step in found for label in step.labels}
    assert sources == {("recycled",)}
    assert any(step.path for step in found)
    assert {step.draft_passes for step in found} == {0}


def test_without_a_channel_either_there_is_nothing_to_do(engine):
    with pytest.raises(ValueError, match="method eagley needs a draft or a reuse channel"):
        tokens(engine, PROMPT, DecodeConfig("eagley", 5, reuse=()))
