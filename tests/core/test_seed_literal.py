"""The lane of the seed's loop: run by the engine, recorded, and approximate."""

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.errors import errors, observed
from eagley_core.metrics import summary
from eagley_core.rule import Rule
from eagley_core.trace import Trace
from tests.core.doubles import ScriptedDraft, perfect
from tests.core.recorded import PROMPT, recorded
from tests.core.tiny import TinyEngine, steps, tiny_draft, tiny_target, tokens

LOW = 0.01  # a random head's guesses pass it now and then
CHAIN = TreeShape("dynamic", 6, 6, 1)


def literal(threshold: float, **changes: object) -> DecodeConfig:
    plain = {"max_new_tokens": 30, "tree": CHAIN, "reuse": ()}
    return DecodeConfig(rule=Rule("seed-literal", (threshold,)), **plain | changes)


def skips(trace: Trace) -> int:
    """Accepted nodes with a rejected older sibling."""
    return sum(
        any(other.parent == step.nodes[i].parent for other in step.nodes[:i])
        for step in trace.decode_steps
        for i in step.accepted
    )


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_every_node_is_tried_after_the_last_accepted_one(engine, temperature):
    trace, _ = recorded(engine, literal(LOW, temperature=temperature))
    trace.check()
    assert skips(trace) > 0
    for step in trace.decode_steps:
        place = -1
        for index, node in enumerate(step.nodes):
            assert node.parent == place
            passes = node.compared >= node.threshold == LOW
            assert node.verdict == ("accepted" if passes else "rejected")
            place = index if passes else place
        assert step.accepted == tuple(
            i for i, node in enumerate(step.nodes) if node.verdict == "accepted"
        )


def test_what_is_compared_is_the_targets_probability_there(engine):
    trace, _ = recorded(engine, literal(LOW))
    for step in trace.decode_steps:
        for node in step.nodes:
            assert node.compared == pytest.approx(node.raw_probability, abs=1e-5)


def test_a_token_that_came_behind_a_skipped_one_leaves_a_stale_row_for_good(engine):
    trace, _ = recorded(engine, literal(LOW))
    stale: set[int] = set()
    for step in trace.decode_steps:
        for place, node in enumerate(step.accepted):
            if node != place:
                stale.add(step.position + 1 + place)
        said = {
            p for run in step.cache if run.provenance == "stale" for p in range(run.start, run.stop)
        }
        assert said == stale
    assert stale


def test_above_every_chance_it_is_vanilla(engine):
    assert tokens(engine, PROMPT, literal(1.0)) == tokens(
        engine, PROMPT, DecodeConfig("vanilla", 30)
    )


def test_a_true_chain_is_accepted_whole_and_leaves_no_stale_row(target):
    text = tokens(TinyEngine(target, None), PROMPT, DecodeConfig("vanilla", 60))
    engine = TinyEngine(target, ScriptedDraft([*PROMPT, *text], target.vocab_size, perfect))
    trace, facts = recorded(engine, literal(0.0))
    assert list(trace.output_ids) == text[:30]
    assert summary(trace).mean_accepted_length == 7
    assert not any(step.provenances for step in facts)


def test_with_noise_the_token_after_a_path_is_a_sample_at_its_own_position():
    """Nothing passes, so every token is the target's own: vanilla's at the same temperature."""
    target = tiny_target()
    engine = TinyEngine(target, tiny_draft(target))
    sampled = {"temperature": 0.9, "seed": 5}
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 30, **sampled))
    assert tokens(engine, PROMPT, literal(1.0, **sampled)) == expected


def test_what_it_costs_is_reported_like_any_rules(engine):
    trace, _ = recorded(engine, literal(LOW))
    found = errors(observed(trace))
    accepted = sum(len(step.accepted[: step.emitted]) for step in trace.decode_steps)
    assert found.acceptance == pytest.approx(accepted / found.levels, abs=1 / found.levels)
    assert 0 < found.mismatch_rate <= 1
    assert found.total_variation >= found.acceptance - found.lossless_acceptance


def test_a_chat_keeps_no_rows_of_it(engine):
    chat = engine.conversation()
    list(engine.steps(PROMPT, literal(LOW), lambda ids: "", conversation=chat))
    again = DecodeConfig("vanilla", 4)
    first = next(engine.steps(PROMPT, again, lambda ids: "", conversation=chat))
    assert first.n_rows == len(PROMPT)


def test_eagle_and_eagley_run_the_same_loop(engine):
    runs = [
        [(s.rows.tokens, s.path) for s in steps(engine, PROMPT, literal(0.2, method=m))]
        for m in ("eagle", "eagley")
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tree": TreeShape("dynamic")}, "a tree of top-k 1"),
        ({"tree": TreeShape("fixed"), "method": "eagle"}, "a tree of top-k 1"),
        ({"reuse": ("recycled",)}, "no reuse channel"),
        ({"repetition_penalty": 1.2}, "no repetition_penalty"),
        ({"coupled": True}, "coupled"),
    ],
)
def test_what_does_not_go_with_it_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        literal(0.5, **changes)
