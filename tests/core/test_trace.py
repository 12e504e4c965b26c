"""What every recorded run obeys."""

from itertools import pairwise

import pytest
import torch

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.sampling import DRAW, uniform
from eagley_core.trace import Step, Trace
from tests.core.recorded import PROMPT, recorded
from tests.core.tiny import VOCABULARY, decode

RUNS = {
    "vanilla": DecodeConfig("vanilla", 15),
    "fixed": DecodeConfig("eagle", 30, tree=TreeShape("fixed")),
    "dynamic": DecodeConfig("eagle", 30, tree=TreeShape("dynamic"), temperature=0.8, seed=2),
    "cost model": DecodeConfig("eagle", 30, temperature=1.0, top_p=0.8),
    "eagley": DecodeConfig("eagley", 60),
    "eagley hot": DecodeConfig("eagley", 60, temperature=1.2, top_k=20, repetition_penalty=1.3),
    "one choice": DecodeConfig("eagley", 20, temperature=1.0, top_k=1),
}


@pytest.fixture(scope="module", params=RUNS)
def run(request, engine):
    return recorded(engine, RUNS[request.param])


@pytest.fixture(scope="module")
def trace(run) -> Trace:
    return run[0]


def decode_nodes(trace: Trace):
    return [(step, node) for step in trace.decode_steps for node in step.nodes]


def test_steps_emit_the_output_in_order(trace):
    emitted = [token for step in trace.steps for token in step.path_ids[: step.emitted]]
    assert emitted == list(trace.output_ids) == [e.token_id for e in trace.emitted]
    first = len(PROMPT)
    assert [e.position for e in trace.emitted] == list(range(first, first + len(emitted)))


def test_a_step_starts_at_the_newest_token(trace):
    text = [*trace.prompt_ids, *trace.output_ids]
    for step in trace.steps:
        assert text[step.position] == step.root_id
    for before, after in pairwise(trace.steps):
        assert after.position == before.position + before.emitted
    assert trace.steps[0].position == len(PROMPT) - 1


def test_only_the_last_step_may_be_cut(trace):
    assert not any(step.is_cut for step in trace.steps[:-1])
    assert len(trace.output_ids) == trace.config.max_new_tokens
    assert trace.finish_reason == "length"


def test_the_accepted_nodes_are_a_path_from_the_root(trace):
    for step in trace.decode_steps:
        parents = [step.nodes[node].parent for node in step.accepted]
        assert parents == [-1, *step.accepted][: len(parents)]
        accepted = [i for i, node in enumerate(step.nodes) if node.verdict == "accepted"]
        assert accepted == sorted(step.accepted)


def test_children_of_accepted_parents_are_tested_until_one_passes(trace):
    for step in trace.decode_steps:
        for parent in range(-1, len(step.nodes)):
            verdicts = [node.verdict for node in step.nodes if node.parent == parent]
            if parent != -1 and parent not in step.accepted:
                assert set(verdicts) <= {"untested"}
                continue
            passed = verdicts.index("accepted") if "accepted" in verdicts else len(verdicts)
            assert verdicts[:passed] == ["rejected"] * passed
            assert set(verdicts[passed + 1 :]) <= {"untested"}


def choice_at(step: Step, node: int) -> int:
    return (step.after_root if node == -1 else step.nodes[node].after).choice_id


def test_a_node_is_accepted_exactly_when_it_is_the_targets_own_token(trace):
    for step in trace.decode_steps:
        for node in step.nodes:
            if node.verdict != "untested":
                is_it = node.token_id == choice_at(step, node.parent)
                assert (node.verdict == "accepted") == is_it == bool(node.compared)
        assert step.bonus_id == choice_at(step, step.accepted[-1] if step.accepted else -1)


def test_tested_nodes_have_figures_of_the_test_and_others_do_not(trace):
    for _, node in decode_nodes(trace):
        is_tested = node.verdict != "untested"
        assert (node.compared is not None) == (node.threshold is not None) == is_tested


def test_depths_and_parents_agree(trace):
    for step, node in decode_nodes(trace):
        assert node.depth == 1 + (step.nodes[node.parent].depth if node.parent >= 0 else 0)


def test_siblings_have_different_tokens(trace):
    for step in trace.decode_steps:
        children = [(node.parent, node.token_id) for node in step.nodes]
        assert len(set(children)) == len(children)


def test_probabilities_are_probabilities(trace):
    for _, node in decode_nodes(trace):
        figures = (node.probability, node.raw_probability, node.draft_probability, node.value)
        assert all(0 <= p <= 1 for p in figures if p is not None)
        assert 0 < node.draw < 1
        assert 0 <= node.rank < VOCABULARY


def test_predictions_are_sorted_and_within_the_entropys_bounds(trace):
    for step in trace.steps:
        for after in (step.after_root, *(node.after for node in step.nodes)):
            odds = [candidate.probability for candidate in after.top]
            assert odds == sorted(odds, reverse=True)
            assert sum(odds) <= 1 + 1e-6
            assert -1e-6 <= after.entropy <= torch.tensor(float(VOCABULARY)).log() + 1e-6
            assert after.margin >= 0


def test_a_node_of_rank_0_has_the_largest_raw_probability(trace):
    for step, node in decode_nodes(trace):
        after = step.after_root if node.parent == -1 else step.nodes[node.parent].after
        if node.rank == 0:
            assert node.raw_probability == pytest.approx(after.top[0].probability, rel=1e-5)
        if node.rank < len(after.top):
            assert after.top[node.rank].token_id == node.token_id


def test_at_temperature_0_the_targets_own_token_is_the_likeliest(trace):
    if trace.config.temperature == 0:
        for step in trace.steps:
            assert step.after_root.choice_id == step.after_root.top[0].token_id


def test_a_score_is_the_sum_of_log_q_along_the_path(trace):
    for step, node in decode_nodes(trace):
        if node.score is not None:
            log_q = torch.tensor(node.draft_probability).log().item()
            above = step.nodes[node.parent].score if node.parent >= 0 else 0.0
            assert node.score == pytest.approx(above + log_q, rel=1e-4, abs=1e-4)


def test_only_nodes_of_the_draft_have_q_and_only_stored_ones_an_origin(trace):
    for _, node in decode_nodes(trace):
        assert node.source == node.sources[0]
        assert (node.draft_probability is not None) == ("draft" in node.sources)
        assert (node.origin is not None) == bool({"recycled", "suffix"} & set(node.sources))


def test_an_origin_is_an_earlier_row_with_the_same_verdict(trace):
    for step, node in decode_nodes(trace):
        if node.origin is None:
            continue
        assert node.origin.step < step.index
        source = trace.steps[node.origin.step]
        if node.origin.step == 0:
            assert 0 < node.origin.node < len(PROMPT)
        elif node.origin.node == -1:
            assert not node.origin.rejected
        else:
            assert node.origin.rejected == (node.origin.node not in source.accepted)


def test_provenance_covers_every_position_once(trace):
    for step in trace.steps:
        assert step.cache[0].start == 0
        assert all(before.stop == after.start for before, after in pairwise(step.cache))
        deepest = max((node.depth for node in step.nodes), default=0)
        assert step.cache[-1].stop == step.position + 1 + deepest
        held = sum(run.stop - run.start for run in step.cache if run.provenance != "dropped")
        assert held == step.position + 1 + len(step.accepted)


def test_step_times_lie_on_one_clock(trace):
    assert all(step.seconds > 0 for step in trace.steps)
    for before, after in pairwise(trace.steps):
        assert before.started + before.seconds <= after.started + 1e-6
    assert sum(step.seconds for step in trace.steps) <= trace.seconds + 1e-6


def test_every_token_has_its_text(trace):
    known = trace.token_texts
    for step in trace.steps:
        assert {step.root_id, step.bonus_id} <= known.keys()
        assert {node.token_id for node in step.nodes} <= known.keys()
    assert trace.text == decode(trace.output_ids)


def test_draws_come_from_the_nodes_own_keys(trace):
    for step in trace.decode_steps:
        siblings: dict[int, int] = {}
        for node in step.nodes:
            nth = siblings[node.parent] = siblings.get(node.parent, -1) + 1
            key = (trace.config.seed, step.position + node.depth, DRAW, nth + 1)
            assert node.draw == uniform(*key)[-1]


def test_a_step_knows_the_rows_of_its_pass(run):
    trace, facts = run
    for step, fact in zip(trace.steps, facts, strict=True):
        found = [choice_at(step, row - 1) for row in range(len(step.nodes) + 1)]
        assert found == list(fact.rows.choices)
        assert step.rows >= 1 + len(step.nodes)
