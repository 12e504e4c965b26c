"""Candidates for a step's tree, from the draft's pool and from EAGLEY's store, weighed alike."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch

from eagley_core import host
from eagley_core.admission import Candidate
from eagley_core.calibration import Calibration, Evidence
from eagley_core.grow import Pool
from eagley_core.store import Found, Store


class Place(NamedTuple):
    """Where a tree hangs."""

    before: int  # the committed token before the root
    root: int
    position: int  # the root's
    max_depth: int  # deeper nodes would lie outside the context


class HostPool(NamedTuple):
    """The draft's pool on the host, with each node's children."""

    tokens: list[int]
    log_q: list[float]
    scores: list[float]
    weights: list[float]  # what the draft ranks siblings by
    children: dict[int, list[int]]  # -1 is the root


EMPTY_POOL = HostPool([], [], [], [], {})


def read_pool(pool: Pool) -> HostPool:
    """The one read of a step's drafting."""
    columns = host.read(torch.stack([column.double() for column in pool]))
    tokens, parents = ([int(x) for x in column] for column in columns[:2])
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        children.setdefault(parent, []).append(index)
    return HostPool(tokens, *columns[2:5], children)


class CandidateSources:
    """The children of any candidate, from the draft's pool and from the store, deduplicated."""

    def __init__(
        self, pool: HostPool, store: Store | None, calibration: Calibration, place: Place
    ) -> None:
        self._pool, self._store, self._calibration = pool, store, calibration
        self._place = place

    def expand(self, parent: Candidate | None) -> Iterable[Candidate]:
        depth = parent.depth + 1 if parent else 1
        if depth > self._place.max_depth:
            return ()
        found = {child.token: child for child in self._drafted(parent, depth)}
        stored = self._stored(parent)
        if stored is not None:
            for token, probability in zip(*stored.entry.likeliest, strict=True):
                known = found.get(token)
                evidence = Evidence(f"recycled-{stored.order}", depth, probability)
                found[token] = self._recycled(parent, known, (token, evidence), stored)
        return found.values()

    def _drafted(self, parent: Candidate | None, depth: int) -> Iterable[Candidate]:
        index = -1 if parent is None else parent.pool_index
        for child in () if index is None else self._pool.children.get(index, ()):
            evidence = Evidence("draft", depth, math.exp(self._pool.weights[child]))
            yield Candidate(
                token=self._pool.tokens[child],
                parent=parent,
                depth=depth,
                value=self._value(parent, evidence),
                evidence=(evidence,),
                sources=("draft",),
                level=depth,
                pool_index=child,
                log_q=self._pool.log_q[child],
                score=self._pool.scores[child],
                origin=None,
            )

    def _stored(self, parent: Candidate | None) -> Found | None:
        if self._store is None:
            return None
        if parent is None:
            return self._store.find(self._place.before, self._place.root)
        before = self._place.root if parent.parent is None else parent.parent.token
        return self._store.find(before, parent.token)

    def _recycled(
        self,
        parent: Candidate | None,
        known: Candidate | None,
        proposed: tuple[int, Evidence],
        stored: Found,
    ) -> Candidate:
        """A stored child; where the draft has it too, the draft keeps the credit."""
        token, evidence = proposed
        value, level = self._value(parent, evidence), parent.level if parent else 0
        if known is None:
            return Candidate(
                token=token,
                parent=parent,
                depth=evidence.depth,
                value=value,
                evidence=(evidence,),
                sources=("recycled",),
                level=level,
                pool_index=None,
                log_q=None,
                score=None,
                origin=stored.entry.origin,
            )
        known.value, known.level = max(known.value, value), level
        known.evidence, known.sources = (*known.evidence, evidence), ("draft", "recycled")
        known.origin = stored.entry.origin
        return known

    def _value(self, parent: Candidate | None, evidence: Evidence) -> float:
        return (parent.value if parent else 1.0) * self._calibration.probability(evidence)
