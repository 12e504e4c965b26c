"""What verified nodes bring, by where they came from, against what a row of the pass costs."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eagley_core.metrics import Ratio
from eagley_core.trace import Node, Trace


def kept_from(node: Node) -> str:
    """What a node that the draft did not propose was kept from: a kind of row, the draft's last
    pool, or the text itself (an n-gram)."""
    if node.origin is None:
        return "pool" if "draft-state" in node.sources else "text"
    if node.origin.rejected:
        return "rejected"
    return "accepted" if node.origin.step else "prefill"


def brought(trace: Trace) -> dict[str, Ratio]:
    """Of all verified nodes the accepted ones: the draft's, and others by what they were kept from.

    Unlike an acceptance rate it counts nodes below a rejected parent too: they cost a row each.
    """
    rows: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for step in trace.decode_steps:
        kinds = ["draft" if "draft" in node.sources else kept_from(node) for node in step.nodes]
        rows.update(kinds)
        hits.update(kinds[i] for i in step.accepted)
    return {kind: Ratio(hits[kind], count) for kind, count in sorted(rows.items())}


class Timed(NamedTuple):
    """One decode step as the price of a row is fitted on it."""

    rows: int
    position: int
    verify_seconds: float
    seconds: float
    emitted: int


def timed(trace: Trace) -> list[Timed]:
    """Every decode step's."""
    return [
        Timed(len(step.nodes) + 1, step.position, step.verify_seconds, step.seconds, step.emitted)
        for step in trace.decode_steps
    ]


class Price(NamedTuple):
    """What one more row costs, and how likely its node must be accepted to be worth it."""

    row_seconds: float
    pays_from: float  # its time, in tokens that the run makes meanwhile


def price(steps: Sequence[Timed]) -> Price | None:
    """Least squares of the pass's time on its rows and its position; None where that is open."""
    causes = np.array([(1.0, step.rows, step.position) for step in steps]).reshape(-1, 3)
    if np.linalg.matrix_rank(causes) < 3:
        return None
    seconds = np.array([step.verify_seconds for step in steps])
    per_row = float(np.linalg.lstsq(causes, seconds, rcond=None)[0][1])
    rate = sum(step.emitted for step in steps) / sum(step.seconds for step in steps)
    return Price(per_row, per_row * rate)
