"""How likely a proposed token really is to be accepted, learnt from hits and misses.

It starts from the prior's figure; what a run shows of like candidates then moves it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable

from eagley_core.prior import Evidence, Outcome, Prior

PRIOR_WEIGHT = 25.0  # how many observations the prior is worth
BUCKETS = 8  # of the prior's probability, two per halving

Count = tuple[tuple, float, float]
"""Of one cell: how many nodes were accepted, and how many were tested."""


class Calibration:
    """Acceptance given that the parent was accepted, by family of evidence and prior figure."""

    def __init__(self, prior: Prior | None = None) -> None:
        self._prior = prior or Prior()
        self._hits: dict[tuple, float] = defaultdict(float)
        self._tested: dict[tuple, float] = defaultdict(float)
        self._is_frozen = False

    @classmethod
    def frozen(cls, counts: Iterable[Count], prior: Prior | None = None) -> "Calibration":
        """One that knows these counts and learns no more."""
        made = cls(prior)
        for cell, hits, tested in counts:
            made._hits[cell], made._tested[cell] = hits, tested
        made._is_frozen = True
        return made

    def counts(self) -> list[Count]:
        """What was seen."""
        return [(cell, self._hits[cell], tested) for cell, tested in self._tested.items()]

    def probability(self, evidence: Evidence) -> float:
        prior = self._prior.probability(evidence)
        cell = _cell(evidence, prior)
        hits, tested = self._hits.get(cell, 0.0), self._tested.get(cell, 0.0)
        return (hits + PRIOR_WEIGHT * prior) / (tested + PRIOR_WEIGHT)

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        """Count nodes whose parent was accepted, and whether they were."""
        if self._is_frozen:
            return
        for evidence, accepted in outcomes:
            cell = _cell(evidence, self._prior.probability(evidence))
            self._hits[cell] += accepted
            self._tested[cell] += 1


def _cell(evidence: Evidence, prior: float) -> tuple[str, int]:
    return evidence.family, min(BUCKETS - 1, int(-math.log2(max(prior, 1e-9)) * 2))
