"""What a verified node brings, counted by hand, and what its row costs, from made-up times."""

import pytest
from tiny_trace import node, step

from eagley_core.row_worth import Timed, brought, price, timed
from eagley_core.trace import Origin
from tests.core.test_reuse_figures import run

REJECTED, ACCEPTED, PREFILL = Origin(1, 0, True), Origin(1, 0, False), Origin(0, 3, False)


def stored(origin: Origin | None, *sources: str):
    return node(-1, 1, 4, "rejected", 9, sources=sources, source=sources[0], origin=origin)


def test_every_verified_node_counts_for_what_it_was_kept_from_and_the_draft_for_what_it_named():
    nodes = (
        stored(REJECTED, "recycled"),
        stored(ACCEPTED, "recycled"),
        stored(PREFILL, "recycled"),
        stored(REJECTED, "draft", "recycled"),
        stored(None, "draft-state"),
        stored(None, "ngram"),
    )
    found = brought(run(step(1, nodes, (0,)), step(2, nodes[:2], (1,)), step(3, nodes[:1])))
    assert found == {
        "accepted": (1, 2),
        "draft": (0, 1),
        "pool": (0, 1),
        "prefill": (0, 1),
        "rejected": (1, 3),
        "text": (0, 1),
    }


def test_a_row_costs_what_is_fitted_beside_the_position_and_pays_by_the_runs_rate():
    steps = [
        Timed(rows, position, 0.03 + 0.001 * rows + 0.00002 * position, 0.05, 2)
        for rows, position in ((1, 10), (9, 40), (5, 90), (12, 20), (3, 70))
    ]
    found = price(steps)
    assert found.row_seconds == pytest.approx(0.001)
    assert found.pays_from == pytest.approx(0.001 * 2 / 0.05)


def test_what_does_not_vary_has_no_price():
    assert price([]) is None
    assert price([Timed(4, place, 0.05, 0.06, 1) for place in range(9)]) is None


def test_a_step_is_timed_as_recorded():
    own = step(1, (stored(REJECTED, "recycled"),), (0,))
    assert timed(run(own)) == [Timed(2, 1, own.verify_seconds, own.seconds, 2)]
