"""A run's numbers, by hand, on four steps drawn here.

step 1:  root ─ A(draft .6, accepted) ─ B(draft .3, rejected)
              │                       └ C(recycled, accepted) ─ D(draft .5, rejected)
              └ E(draft .2, untested) ─ F(untested)             bonus
step 2:  root ─ A(draft .4, rejected)                           bonus
              └ B(draft .5, rejected)
step 3:  root                                                   bonus (nothing was proposed)
step 4:  root ─ A(draft .9, accepted)     emitted: 1            cut by the length limit
"""

from dataclasses import replace

import pytest

from eagley_core import metrics
from eagley_core.config import DecodeConfig
from eagley_core.memory import memory
from eagley_core.trace import CacheRun, Environment, Node, Prediction, Step, Trace

AFTER = Prediction(choice_id=0, entropy=0.0, margin=1.5, top=(), logit=9.0)
VERDICTS = {"a": "accepted", "r": "rejected", "u": "untested"}


def node(parent: int, depth: int, q: float | None, verdict: str, token: int = 7) -> Node:
    return Node(
        parent=parent,
        depth=depth,
        token_id=token,
        source="draft" if q else "recycled",
        sources=("draft",) if q else ("recycled",),
        draft_probability=q,
        score=None,
        value=None,
        probability=0.5,
        raw_probability=0.5,
        rank=0,
        draw=0.5,
        compared=None,
        threshold=None,
        verdict=VERDICTS[verdict],
        origin=None,
        after=AFTER,
    )


def step(index: int, nodes=(), accepted=(), emitted=None, rows=None) -> Step:
    return Step(
        index=index,
        kind="decode" if index else "prefill",
        root_id=1,
        position=2 + index,
        after_root=replace(AFTER, margin=0.25 * index),
        nodes=tuple(nodes),
        accepted=accepted,
        bonus_id=8,
        emitted=len(accepted) + 1 if emitted is None else emitted,
        rows=rows or len(nodes) + 1,
        draft_passes=1,
        store_bytes=0,
        started=2.0 * index,
        draft_seconds=0.5,
        verify_seconds=1.0,
        accept_seconds=0.25,
        commit_seconds=0.25,
        estimate=None,
        cache=(),
    )


STEPS = (
    step(0, rows=3),
    step(
        1,
        [
            node(-1, 1, 0.6, "a"),
            node(0, 2, 0.3, "r"),
            node(0, 2, None, "a"),
            node(2, 3, 0.5, "r"),
            node(-1, 1, 0.2, "u"),
            node(4, 2, 0.2, "u"),
        ],
        (0, 2),
    ),
    step(2, [node(-1, 1, 0.4, "r"), node(-1, 1, 0.5, "r")]),
    step(3),
    step(4, [node(-1, 1, 0.9, "a")], (0,), emitted=1),
)
OUTPUT = (8, 7, 7, 8, 8, 8, 7)


@pytest.fixture
def trace() -> Trace:
    return Trace(
        name="by hand",
        category="",
        prompt="",
        config=DecodeConfig("eagley"),
        target="target",
        draft="draft",
        environment=Environment("", "", 1, "", "", "", "", ""),
        prompt_ids=(4, 5, 1),
        output_ids=OUTPUT,
        pieces=("x",) * 7,
        texts=(),
        steps=STEPS,
        finish_reason="length",
        record_seconds=0.0,
    )


def test_the_run_by_hand_fits_together(trace):
    trace.check()


def test_mean_accepted_length_counts_bonuses_of_whole_decode_steps(trace):
    assert metrics.mean_accepted_length(trace) == (3 + 1 + 1) / 3


def test_a_tested_level_has_an_accepted_parent_and_a_node(trace):
    """Step 1: depths 1 and 2 accepted, 3 not; step 2: depth 1 not; step 4: depth 1 accepted."""
    assert metrics.acceptance_rate(trace) == (3, 5)
    assert metrics.acceptance_by_depth(trace) == ((2, 3), (1, 1), (0, 1))


def test_first_choices_are_the_drafts_likeliest_children(trace):
    """Step 1: A yes, B no (C is not the draft's), D no; step 2: B no; step 4: A yes."""
    assert metrics.first_choice_acceptance(trace) == (2, 5)


def test_a_level_without_a_drafted_node_has_no_first_choice(trace):
    recycled = replace(STEPS[2], nodes=(node(-1, 1, None, "r"),))
    (level,) = metrics.levels(recycled)
    assert level.first_choice is None


def test_node_acceptance_leaves_untested_nodes_out(trace):
    assert metrics.node_acceptance(trace) == (3, 7)


def test_drafted_acceptance_has_all_nodes_below_the_line(trace):
    assert metrics.drafted_acceptance(trace) == (3, 6 + 2 + 1)


def test_memory_is_the_most_of_any_step(trace):
    cached = replace(STEPS[1], store_bytes=300, cache=(CacheRun(0, 3, "prefill"),))
    larger = replace(STEPS[2], store_bytes=200, cache=(CacheRun(0, 9, "verified"),))
    run = replace(trace, steps=(STEPS[0], cached, larger, *STEPS[3:]))
    assert memory(run) == (300, 9, None)
    assert memory(run).cache_bytes is None
    assert memory(replace(run, row_bytes=10)).cache_bytes == 90


def test_a_ratio_of_nothing_has_no_value():
    assert metrics.Ratio(0, 0).value is None
    assert metrics.Ratio(1, 4).value == 0.25


def test_the_summary_by_hand(trace):
    found = metrics.summary(trace)
    assert found.prompt_tokens == 3
    assert found.new_tokens == 7
    assert found.seconds == 10.0
    assert found.tokens_per_second == 0.7
    assert found.decode_tokens_per_second == 6 / 8
    assert found.target_passes == 4
    assert found.accepted_draft_tokens_per_step == pytest.approx(2 / 3)
    assert found.accepted_by_source == {"bonus": 4, "draft": 2, "recycled": 1}
    assert found.draft_seconds == 2.0
    assert found.verify_seconds == 4.0
    assert found.rows_verified == 7 + 3 + 1 + 2
    assert found.rows_discarded == 4 + 2 + 0 + 0


def test_padding_rows_are_not_discarded_ones(trace):
    padded = replace(trace, steps=(*STEPS[:3], replace(STEPS[3], rows=2), STEPS[4]))
    assert metrics.summary(padded).rows_discarded == 6


def test_a_prefill_alone_has_no_decode_figures(trace):
    short = replace(trace, steps=STEPS[:1], output_ids=OUTPUT[:1], pieces=("x",))
    found = metrics.summary(short)
    assert found.mean_accepted_length is None
    assert found.decode_tokens_per_second is None
    assert found.accepted_draft_tokens_per_step is None
    assert found.acceptance_by_depth == ()


def test_equal_outputs_do_not_differ(trace):
    assert metrics.first_difference(trace, replace(trace, name="other")) is None


@pytest.mark.parametrize(
    ("position", "margin"), [(0, 0.0), (1, 0.25), (2, 1.5), (3, 1.5), (4, 0.5), (5, 0.75)]
)
def test_the_first_difference_has_the_targets_margin_there(trace, position, margin):
    """Margins: after the root a quarter per step, after any node 1.5."""
    ids = list(OUTPUT)
    ids[position] = 99
    other = replace(trace, output_ids=tuple(ids))
    found = metrics.first_difference(trace, other)
    assert found[:2] == (position, margin)


def test_a_shorter_output_differs_where_it_ends(trace):
    short = replace(trace, steps=STEPS[:2], output_ids=OUTPUT[:4], pieces=("x",) * 4)
    assert metrics.first_difference(trace, short).position == 4
    assert metrics.first_difference(short, trace).position == 4


@pytest.mark.parametrize(
    ("logit", "dtype", "bound"),
    [
        (20.0, "float32", 1e-4),
        (1.0, "bfloat16", 2 * 2**-7),
        (-20.0, "bfloat16", 2 * 2.0**-3),
        (31.9, "float16", 2 * 2.0**-6),
        (0.0, "bfloat16", 2 * 2.0**-21),
    ],
)
def test_a_tie_is_two_units_in_the_last_place_of_the_logit(logit, dtype, bound):
    assert metrics.tie_bound(logit, dtype) == bound


def test_a_difference_at_a_tie_says_so(trace):
    close = replace(STEPS[0], after_root=replace(AFTER, margin=1e-5))
    reference = replace(trace, steps=(close, *STEPS[1:]))
    other = replace(trace, output_ids=(99, *OUTPUT[1:]))
    assert metrics.first_difference(other, reference).is_tie
    assert not metrics.first_difference(
        replace(other, output_ids=(8, 99, *OUTPUT[2:])), reference
    ).is_tie
