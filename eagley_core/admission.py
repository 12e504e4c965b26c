"""Which nodes are worth verifying: one decision for all sources.

Candidates in order of their calibrated value; of these the n that maximises
(1 + sum of values) / (drafting time + t(n)), where t(n) is the measured time of a pass.
The rule is Sequoia's (2402.12374) and OPT-Tree's (2406.17276) with measured, stepped costs.
"""

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from eagley_core.prior import Evidence
from eagley_core.trace import Estimate, Origin, Source


@dataclass(eq=False, slots=True)
class Candidate:
    """A node that could be verified."""

    token: int
    parent: "Candidate | None"  # None: the root
    path: tuple[int, ...]  # tokens from the root's child to this one
    value: float  # probability of being accepted; never above the parent's
    evidence: Evidence
    sources: tuple[Source, ...]  # the credited one first
    level: int  # draft levels without which it would not be here
    pool_index: int | None  # where the draft's pool has it
    log_q: float | None
    score: float | None
    origin: Origin | None

    @property
    def depth(self) -> int:
        return len(self.path)


Expand = Callable[[Candidate | None], Iterable[Candidate]]
"""The children of a candidate, or of the root."""


WORTHLESS = 0.015  # no pass is so flat in its rows that a node of this value would pay


def best_first(
    expand: Expand, limit: int, takes: Callable[[float], bool] = lambda value: True
) -> list[Candidate]:
    """The `limit` most valuable candidates, best first, so parents come before their children.

    Ties go to the older candidate. Worthless ones are left out, and all from the first on whose
    value is not taken: weighing them costs time too.
    """
    heap: list[tuple[float, int, Candidate]] = []
    born = 0
    ordered: list[Candidate] = []
    parent: Candidate | None = None
    while len(ordered) < limit:
        for child in expand(parent):
            heapq.heappush(heap, (-child.value, born, child))
            born += 1
        if not heap or -heap[0][0] < WORTHLESS or not takes(-heap[0][0]):
            break
        parent = heapq.heappop(heap)[2]
        ordered.append(parent)
    return ordered


class Admission(NamedTuple):
    """How many of the best candidates to verify, and what is expected of that."""

    count: int
    estimate: Estimate

    @property
    def rate(self) -> float:
        return self.estimate.tokens / (self.estimate.draft_seconds + self.estimate.verify_seconds)


def admit(values: Sequence[float], draft_seconds: float, verify: Sequence[float]) -> Admission:
    """The best prefix of `values` (descending). verify[n] is the time of a pass of n rows."""
    expected = list(accumulate(values, initial=1.0))
    rates = [tokens / (draft_seconds + verify[count + 1]) for count, tokens in enumerate(expected)]
    count = max(range(len(rates)), key=rates.__getitem__)
    return Admission(count, Estimate(expected[count], draft_seconds, verify[count + 1]))


class Outlook:
    """Whether candidates still to come could better the rate, however many of them there are.

    None is worth more than the next one: they come best first, and a child is worth no more than
    its parent. What is left out so would not have been admitted.
    """

    def __init__(self, draft_seconds: float, verify: Sequence[float], limit: int) -> None:
        self._draft, self._verify, self._limit = draft_seconds, verify, limit
        self._count, self._expected = 0, 1.0
        self._best = self._rate(0, 1.0)

    def takes(self, value: float) -> bool:
        """Count the next candidate in where that, or more of its value, could pay."""
        left = range(1, self._limit - self._count + 1)
        if not any(self._rate(n, self._expected + n * value) > self._best for n in left):
            return False
        self._count, self._expected = self._count + 1, self._expected + value
        self._best = max(self._best, self._rate(0, self._expected))
        return True

    def _rate(self, more: int, expected: float) -> float:
        return expected / (self._draft + self._verify[self._count + more + 1])
