"""Candidates for a step's tree, from the draft's pool and from other sources, weighed alike."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from eagley_core import host
from eagley_core.admission import WORTHLESS, Candidate
from eagley_core.calibration import Calibration
from eagley_core.grow import Pool
from eagley_core.guesses import Guess, Guesser, Guesses, Spot, first_of
from eagley_core.prior import Evidence

HOPELESS = WORTHLESS / 4  # a guess of this value is not even weighed: weighing costs time


class Place(NamedTuple):
    """Where a tree hangs."""

    before: tuple[int, ...]  # the committed tokens before the root, the newest last
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
    is_coupled: bool = False


EMPTY_POOL = HostPool([], [], [], [], {})


def read_pool(pool: Pool, is_coupled: bool) -> HostPool:
    """The one read of a step's drafting."""
    columns = host.read(torch.stack([column.double() for column in pool]))
    tokens, parents = ([int(x) for x in column] for column in columns[:2])
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        children.setdefault(parent, []).append(index)
    return HostPool(tokens, *columns[2:5], children, is_coupled)


class CandidateSources:
    """The children of any candidate, from every source, deduplicated."""

    def __init__(
        self,
        pool: HostPool,
        guessers: Sequence[Guesser],
        calibration: Calibration,
        place: Place,
    ) -> None:
        self._pool, self._guessers, self._calibration = pool, guessers, calibration
        self._place = place

    def expand(self, parent: Candidate | None) -> Iterable[Candidate]:
        """What may follow `parent`; the draft keeps the credit for what it named too."""
        path = parent.path if parent else ()
        if len(path) >= self._place.max_depth:
            return
        before, root, position, _ = self._place
        guesses = first_of(self._guessers, Spot(before, root, position, path))
        index = -1 if parent is None else parent.pool_index
        drafted = () if index is None else self._pool.children.get(index, ())
        for child in drafted:
            guess = guesses and guesses.find(self._pool.tokens[child])
            yield self._drafted(parent, child, guesses, guess)
        named = {self._pool.tokens[child] for child in drafted}
        worth = parent.value if parent else 1.0
        for guess in guesses.guesses if guesses else ():
            if worth * guess.probability < HOPELESS:
                break  # and so are those after it
            if guess.token not in named:
                yield self._guessed(parent, guess, guesses, bool(drafted))

    def _drafted(
        self,
        parent: Candidate | None,
        child: int,
        guesses: Guesses | None,
        guess: Guess | None,
    ) -> Candidate:
        pool, depth = self._pool, (parent.depth if parent else 0) + 1
        evidence = Evidence(
            depth=depth,
            draft=math.exp(pool.weights[child]),
            is_drafted=True,
            kind=guesses.kind_of(guess) if guesses else "",
            stored=guess.probability if guess else None,
            is_coupled=pool.is_coupled,
        )
        return Candidate(
            token=pool.tokens[child],
            parent=parent,
            path=(*(parent.path if parent else ()), pool.tokens[child]),
            value=self._value(parent, evidence),
            evidence=evidence,
            sources=("draft", guesses.source) if guess else ("draft",),
            level=depth,
            pool_index=child,
            log_q=pool.log_q[child],
            score=pool.scores[child],
            origin=guess.origin if guess else None,
        )

    def _guessed(
        self, parent: Candidate | None, guess: Guess, guesses: Guesses, is_drafted: bool
    ) -> Candidate:
        depth = (parent.depth if parent else 0) + 1
        coupled = self._pool.is_coupled
        kind = guesses.kind_of(guess)
        evidence = Evidence(depth, None, is_drafted, kind, guess.probability, coupled)
        return Candidate(
            token=guess.token,
            parent=parent,
            path=(*(parent.path if parent else ()), guess.token),
            value=self._value(parent, evidence),
            evidence=evidence,
            sources=(guesses.source,),
            level=parent.level if parent else 0,
            pool_index=None,
            log_q=None,
            score=None,
            origin=guess.origin,
        )

    def _value(self, parent: Candidate | None, evidence: Evidence) -> float:
        return (parent.value if parent else 1.0) * self._calibration.probability(evidence)
