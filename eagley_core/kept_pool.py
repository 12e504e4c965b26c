"""Channel R3 (`draft-state`): what the draft worked out for the last tree, used for the next.

The draft's pool holds more than was verified. Where the committed tokens run through it, what
hangs below them is still a guess of the draft's, made before the target's features were known.
It costs nothing, so that a step can do without drafting; see `Thrift`.
"""

import math

from eagley_core.candidates import EMPTY_POOL, HostPool
from eagley_core.guesses import Guess, Guesses, Spot
from eagley_core.steps import StepFacts

ROOT = -1


class KeptPool:
    """The last pool that was drafted, below the newest committed token."""

    def __init__(self) -> None:
        self._pool, self._top = EMPTY_POOL, ROOT

    def keep(self, pool: HostPool) -> None:
        """Take the pool that the draft has just made for the coming step."""
        self._pool, self._top = pool, ROOT

    def after(self, spot: Spot) -> Guesses | None:
        index = self._below(self._top, spot.path)
        children = () if index is None else self._pool.children.get(index, ())
        if not children:
            return None
        own = [
            Guess(self._pool.tokens[child], math.exp(self._pool.weights[child]), None)
            for child in children
        ]
        return Guesses("draft-state", "draft-state", own)

    def learn(self, facts: StepFacts) -> None:
        """Follow what was committed; forget a pool that does not hold it."""
        committed = (*(facts.rows.tokens[row] for row in facts.path), facts.bonus_id)
        top = self._below(self._top, committed)
        if top is None:
            self._pool, self._top = EMPTY_POOL, ROOT
        else:
            self._top = top

    def _below(self, index: int, path: tuple[int, ...]) -> int | None:
        """The node at the end of a path that starts below `index`; None where there is none."""
        for token in path:
            children = self._pool.children.get(index, ())
            index = next((c for c in children if self._pool.tokens[c] == token), None)
            if index is None:
                return None
        return index
