"""What came back from the store, counted by hand in a small trace and in a real run."""

from dataclasses import replace

import pytest
from tiny_trace import node, step, tiny_trace

from eagley_core.config import DecodeConfig
from eagley_core.metrics import whole_steps
from eagley_core.reuse_figures import (
    Oracle,
    ReuseFigures,
    oracle,
    origins,
    rejected_share,
    returned,
    steps_after_rejection,
)
from eagley_core.store import Store
from eagley_core.trace import Candidate, Node, Origin, Prediction, Step, Trace
from tests.core.recorded import recorded


def after(*tokens: int) -> Prediction:
    return Prediction(tokens[0], 1.0, 1.0, tuple(Candidate(t, 0.1) for t in tokens))


def stored(token: int, origin: Origin | None, *sources: str) -> Node:
    return node(-1, 1, token, "accepted", 9, sources=sources, source=sources[0], origin=origin)


def drafted(token: int, verdict: str) -> Node:
    return replace(node(-1, 1, token, verdict, 9), after=after(7, 8))


def run(*steps: Step) -> Trace:
    """A trace of these decode steps behind a prefill, positions and tokens set to fit."""
    made, output = [replace(step(0), root_id=0, position=0, bonus_id=1)], [1]
    for number, one in enumerate(steps, start=1):
        place = {"index": number, "root_id": output[-1], "position": len(output)}
        made.append(replace(one, emitted=len(one.accepted) + 1, **place))
        output += made[-1].path_ids
    pieces = ("x",) * len(output)
    return replace(tiny_trace(), output_ids=tuple(output), pieces=pieces, steps=tuple(made))


REJECTED, PREFILL = Origin(1, 0, True), Origin(0, 3, False)
# Step 1 rejects; step 2 gets a token back from its rejected node; step 3 has one that both sources
# proposed, with no rejection before it; step 4 gets one that the prefill had.
TRACE = run(
    step(1, (drafted(2, "rejected"),), (), bonus_id=3),
    step(1, (stored(4, REJECTED, "recycled"),), (0,), bonus_id=5),
    step(1, (stored(6, REJECTED, "draft", "recycled"), drafted(9, "rejected")), (0,), bonus_id=7),
    step(1, (stored(8, PREFILL, "suffix"),), (0,), bonus_id=9),
)


def test_steps_after_a_rejection_by_hand():
    assert [found.index for found in steps_after_rejection(TRACE)] == [2, 4]


def test_what_came_back_is_counted_by_source():
    assert returned(TRACE) == {"only": (2, 2), "recycled": (1, 2), "suffix": (1, 2)}


def test_a_gain_is_what_the_draft_did_not_have_by_the_row_it_was_kept_from():
    assert origins(TRACE) == {"rejected": 1, "prefill": 1}
    assert rejected_share(TRACE) == (1, 2)


def test_an_ngram_has_no_row():
    assert origins(run(step(1, (stored(4, None, "ngram"),), (0,), bonus_id=5))) == {"text": 1}


def test_the_oracle_goes_on_from_the_tree_with_what_the_store_held():
    """The rejected node of step 1 was followed by 7 or 8; step 2's tree ends before just that."""
    trace = run(
        step(1, (drafted(2, "rejected"),), (), bonus_id=3),
        step(1, (drafted(2, "accepted"),), (0,), bonus_id=8),
        step(1, (), (), bonus_id=9),
    )
    assert oracle(trace) == Oracle(steps=3, accepted=1, possible=2)
    assert oracle(trace).added == 1


def test_the_oracle_of_a_warm_store_begins_with_what_was_kept_before():
    trace = run(*(step(1, (), (), bonus_id=own, after_root=after(own)) for own in (3, 4)))
    store = Store()
    cold, warm = oracle(trace, store), oracle(trace, store)
    assert cold.possible == 0 < warm.possible


@pytest.mark.parametrize("method", ["eagle", "eagley"])
def test_the_oracle_of_a_real_run_never_falls_short_of_it(engine, method):
    trace, _ = recorded(engine, DecodeConfig(method, 60))
    found, whole = oracle(trace), whole_steps(trace)
    assert found.steps == len(whole) > 10
    assert sum(len(own.accepted) for own in whole) == found.accepted < found.possible


def test_figures_of_many_runs_are_summed_by_lane_and_category():
    figures = ReuseFigures()
    for category in ("a", "b"):
        vanilla = run(step(1, (), (), bonus_id=3))
        figures.add({"lane": replace(TRACE, category=category), "vanilla": vanilla})
    found = figures.result()
    assert found.keys() == {"lane"}
    assert found["lane"]["returned"]["only"] == {"value": 1.0, "hits": 4, "tested": 4}
    assert found["lane"]["rejected_share"] == {"value": 0.5, "hits": 2, "tested": 4}
    assert found["lane"]["by_category"]["a"]["origins"] == {"prefill": 1, "rejected": 1}
    assert found["lane"]["oracle"]["accepted"] == 6
