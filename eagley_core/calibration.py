"""How likely a proposed token really is to be accepted, learnt from hits and misses."""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

PRIOR_WEIGHT = 8.0
DEPTHS, BUCKETS = 4, 8
# How far each source's own probability is trusted before anything was seen.
PRIOR_TRUST = {"draft": 0.9, "recycled-2": 0.6, "recycled-1": 0.3}


class Evidence(NamedTuple):
    """What is known of a candidate: its source (with context length), depth and probability."""

    source: str
    depth: int
    probability: float

    @property
    def cell(self) -> tuple[str, int, int]:
        bucket = min(BUCKETS - 1, int(-math.log2(max(self.probability, 1e-9)) * 2))
        return self.source, min(self.depth, DEPTHS), bucket


Count = tuple[tuple, float, float]
"""Of one cell: how many nodes were accepted, and how many were tested."""


class Calibration:
    """Acceptance given that the parent was accepted, by source, depth and probability."""

    def __init__(self) -> None:
        self._hits: dict[tuple, float] = defaultdict(float)
        self._tested: dict[tuple, float] = defaultdict(float)
        self._is_frozen = False

    @classmethod
    def frozen(cls, counts: Iterable[Count]) -> "Calibration":
        """One that knows these counts and learns no more."""
        made = cls()
        for cell, hits, tested in counts:
            made._hits[cell], made._tested[cell] = hits, tested
        made._is_frozen = True
        return made

    def counts(self) -> list[Count]:
        """What was seen."""
        return [(cell, self._hits[cell], tested) for cell, tested in self._tested.items()]

    def probability(self, evidence: Evidence) -> float:
        prior = PRIOR_TRUST[evidence.source] * evidence.probability
        hits = self._hits[evidence.cell] + PRIOR_WEIGHT * prior
        return hits / (self._tested[evidence.cell] + PRIOR_WEIGHT)

    def learn(self, outcomes: Iterable[tuple[Evidence, bool]]) -> None:
        """Count nodes whose parent was accepted, and whether they were."""
        if self._is_frozen:
            return
        for evidence, accepted in outcomes:
            self._hits[evidence.cell] += accepted
            self._tested[evidence.cell] += 1
