"""A draft that knows the target's continuation, as well as a test wants it to."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from eagley_core.drafting import Children, DraftRows, DraftStart
from eagley_core.sizes import Size

Rank = Callable[[int], int | None]
"""At which rank among its guesses the draft has the true token of a position; None: nowhere."""


def perfect(_: int) -> int:
    return 0


def useless(_: int) -> None:
    return None


def mixed(position: int) -> int | None:
    """None, some and all of a tree's levels are right, as positions go by."""
    return (0, 1, 0, 0, None, 2, 0, None, None, 0, 0, 0, 0)[position % 13]


class ScriptedDraft:
    """Takes the place of EagleDraft. `script` is the whole text, prompt and continuation.

    A row at rotary position i predicts the token at i + 2.
    """

    def __init__(self, script: Sequence[int], vocab_size: int, rank: Rank = perfect) -> None:
        self.name, self.state_ids = "script", (1,)
        self.size = Size(0, 0)
        self._script, self._size, self._rank = list(script), vocab_size, rank
        self.length = 0

    def start(self, run: DraftStart) -> None:
        self.length = 0

    def feed(
        self, features: Tensor, next_ids: Sequence[int], k: int, coupling: object = None
    ) -> Children:
        assert len(features) == len(next_ids)
        self.length += len(features)
        return self._children([self.length - 1], k)

    def extend(self, rows: DraftRows, k: int, coupling: object = None) -> Children:
        return self._children(rows.positions.tolist(), k)

    def _children(self, positions: list[int], k: int) -> Children:
        guesses = torch.tensor([self._guesses(position + 2, k) for position in positions])
        odds = torch.full((len(positions), k), 0.001)
        odds[:, 0] = 0.99
        return Children(guesses, odds.log(), odds.log(), torch.zeros(len(positions), 1))

    def _guesses(self, position: int, k: int) -> list[int]:
        known = position < len(self._script)
        truth, rank = self._script[position] if known else 0, self._rank(position)
        guesses = [(truth + 1 + i) % self._size for i in range(k)]
        if rank is not None and rank < k:
            guesses[rank] = truth
        return guesses
