"""Which nodes of a verified pass the run's rule accepts."""

import math
from collections.abc import Sequence

from eagley_core.config import DecodeConfig
from eagley_core.judge import RESAMPLING, Case, Judge, Ruling, follow, sibling_order
from eagley_core.readback import Verified
from eagley_core.sampling import DRAW, uniform
from eagley_core.steps import Rows
from eagley_core.verify import Verdict, accept_exact


def accept(
    verified: Verified, config: DecodeConfig, position: int, taken: Sequence[int] = ()
) -> Verdict:
    """Apply the rule. position: the root's, which keys the draws; taken: as in `accept_exact`.

    The draws are independent of the noise that makes the target's own token and the leftover.
    """
    rows = verified.rows
    if verified.verdict is not None:
        return verified.verdict
    if verified.weighed is None:
        return accept_exact(*rows[:3], taken)
    judge = Judge(config.rule, config.temperature == 0)
    case_of = _Cases(verified, config.seed, position)
    walk = follow(judge, taken[-1] if taken else 0, _children(rows, judge), case_of)
    path = (*taken, *walk.path)
    after = verified.weighed.leftovers if config.rule.name in RESAMPLING else rows.choices
    rulings = {row: Ruling(1.0, 1.0, True) for row in taken} | walk.rulings
    return Verdict(path, after[path[-1] if path else 0], rulings)


def _children(rows: Rows, judge: Judge) -> dict:
    q = [None if log_q is None else math.exp(log_q) for log_q in rows.log_q]
    nodes = [(row, rows.parents[row], q[row - 1]) for row in range(1, len(rows.tokens))]
    return sibling_order(judge.rule, nodes)


class _Cases:
    """The case of any row, made when it is asked for."""

    def __init__(self, verified: Verified, seed: int, position: int) -> None:
        self._verified, self._seed, self._position = verified, seed, position
        self._depths = verified.rows.depths

    def __call__(self, row: int) -> Case:
        rows = self._verified.rows
        parent, log_q = rows.parents[row], rows.log_q[row - 1]
        return Case(
            is_own=rows.tokens[row] == rows.choices[parent],
            standing=self._verified.weighed.standings[row],
            q=1.0 if log_q is None else math.exp(log_q),
            draw=self._draw(row),
        )

    def _draw(self, row: int) -> float:
        """From (seed, position, sibling), siblings counted by age."""
        parents = self._verified.rows.parents
        sibling = parents[1:row].count(parents[row])
        position = self._position + self._depths[row]
        return float(uniform(self._seed, position, DRAW, sibling + 1)[-1])
