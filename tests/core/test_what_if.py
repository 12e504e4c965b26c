"""Another rule on a recorded step, against runs and by hand."""

from dataclasses import replace

import pytest

from eagley_core.config import DecodeConfig
from eagley_core.rule import Rule
from eagley_core.trace import Trace
from eagley_core.trace_file import load_traces, save_traces
from eagley_core.what_if import what_if
from tests.core.recorded import recorded

RULES = [
    "exact",
    "speculative",
    "seed-ratio:0.1",
    "seed-threshold:0.1",
    "top-k:3",
    "lenience:0.5",
    "typical:0.3,0.3",
]
SAMPLINGS = {
    "greedy": {},
    "greedy with penalty": {"repetition_penalty": 1.3},
    "plain": {"temperature": 1.0},
    "all": {"temperature": 1.2, "top_k": 9, "top_p": 0.9, "repetition_penalty": 1.3},
}


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("rule", RULES)
def test_the_runs_own_rule_gives_back_what_was_recorded(engine, rule, sampling, tmp_path):
    """Also from a file: what a rule needs survives it."""
    config = DecodeConfig("eagley", 24, rule=Rule.parse(rule), **SAMPLINGS[sampling])
    trace, _ = recorded(engine, config)
    save_traces(tmp_path / "run.json.gz", [trace])
    for read in (trace, *load_traces(tmp_path / "run.json.gz")):
        for step in read.decode_steps:
            found = what_if(step, config.rule, read.config)
            assert (found.path, found.bonus_id) == (step.accepted, step.bonus_id)
            assert found.differs_at is None and "as recorded" in found.told
            verdicts = ["untested"] * len(step.nodes)
            for node, ruling in found.rulings.items():
                verdicts[node] = "accepted" if ruling.passes else "rejected"
                assert step.nodes[node].compared == pytest.approx(ruling.compared, rel=1e-4)
            assert verdicts == [node.verdict for node in step.nodes]


@pytest.fixture(scope="module")
def exact(engine) -> Trace:
    return recorded(engine, DecodeConfig("eagle", 40))[0]


@pytest.mark.parametrize("rule", RULES)
def test_a_first_step_predicted_from_an_exact_run_is_the_first_step_of_the_rules_run(
    engine, exact, rule
):
    config = DecodeConfig("eagle", 40, rule=Rule.parse(rule))
    ran = recorded(engine, config)[0].steps[1]
    found = what_if(exact.steps[1], config.rule, exact.config)
    assert (found.path, found.bonus_id) == (ran.accepted, ran.bonus_id)


def test_a_threshold_of_0_takes_the_best_path_to_its_leaf(exact):
    for step in exact.decode_steps:
        found = what_if(step, Rule("seed-threshold", (0.0,)), exact.config)
        last = found.path[-1] if found.path else -1
        assert all(node.parent != last for node in step.nodes)
        assert all(ruling.passes for ruling in found.rulings.values())


def test_the_level_of_the_first_other_token_is_told(exact):
    every = [what_if(s, Rule("seed-threshold", (0.0,)), exact.config) for s in exact.decode_steps]
    for step, found in zip(exact.decode_steps, every, strict=True):
        tokens = [*(step.nodes[i].token_id for i in found.path), found.bonus_id]
        if found.differs_at is None:
            assert tuple(tokens[: len(step.path_ids)]) == step.path_ids[: len(tokens)]
        else:
            level = found.differs_at
            assert tokens[level - 1] != step.path_ids[level - 1]
            assert tuple(tokens[: level - 1]) == step.path_ids[: level - 1]
            assert f"level {level}" in found.told
    assert any(found.differs_at for found in every)


def test_a_replacement_that_would_be_drawn_anew_is_not_predicted(engine):
    config = DecodeConfig("eagle", 60, temperature=1.0, coupled=False)
    trace, _ = recorded(engine, config)
    found = [what_if(s, Rule("speculative"), config) for s in trace.decode_steps]
    unknown = [one for one in found if one.bonus_id is None]
    assert unknown and all("not predicted" in one.told for one in unknown)
    for step, one in zip(trace.decode_steps, found, strict=True):
        last = one.path[-1] if one.path else -1
        rejected = {node.token_id for node in step.nodes if node.parent == last}
        assert one.bonus_id not in rejected


def test_a_trace_without_what_rules_judge_by_is_refused(engine):
    config = DecodeConfig("eagle", 12, temperature=0.7)
    trace, _ = recorded(engine, config)
    step = trace.steps[1]
    bare = replace(step, nodes=tuple(replace(node, standing=None) for node in step.nodes))
    with pytest.raises(ValueError, match="without the figures that rules judge by"):
        what_if(bare, Rule("speculative"), config)


def test_the_literal_rule_has_no_what_if(exact):
    with pytest.raises(ValueError, match="seed-literal tries tokens where no tree has them"):
        what_if(exact.steps[1], Rule("seed-literal", (0.5,)), exact.config)


def test_a_rule_that_stops_earlier_is_not_said_to_go_on_as_recorded(engine):
    """No node passes a threshold of 1: the same first token, and the step is over."""
    run = recorded(engine, DecodeConfig("eagley", 40))[0]
    steps = [step for step in run.decode_steps if step.accepted]
    assert steps
    for step in steps:
        found = what_if(step, Rule("seed-threshold", (1.0,)), run.config)
        assert found.path == ()
        assert found.fewer == len(step.accepted)
        assert "fewer in this step" in found.told
