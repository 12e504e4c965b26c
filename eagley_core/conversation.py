"""What the turns of one chat share: cached rows, the store, and what was learnt."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.calibration import Calibration
from eagley_core.store import Store


class Memory(NamedTuple):
    """What is learnt while decoding."""

    store: Store | None  # None: nothing is kept
    calibration: Calibration


class Reused(NamedTuple):
    """Rows of an earlier turn that a turn begins with, and the features of their tokens."""

    n_rows: int = 0
    features: tuple[Tensor, ...] = ()  # [n, S, H] together


class Conversation:
    """The turns of one chat, each a run of `Engine.steps`, one at a time.

    A turn keeps the target's rows of the exact common prefix of token ids. A row's bits do not
    depend on where its keys lie, so its tokens are a fresh run's. The draft is fed again, from the
    features that came with these rows. Made by `Engine.conversation`.
    """

    def __init__(self, memory: Memory, cache: KVCache | None = None) -> None:
        self.memory, self.cache = memory, cache
        self.turn = -1  # of the newest run; 0 is the first
        self._ids: tuple[int, ...] = ()
        self._features: Tensor | None = None
        self._invariant = True

    def another(self) -> "Conversation":
        """A new chat that remembers what was learnt, and no rows. This one is over."""
        other = Conversation(self.memory, self.cache)
        other.turn = self.turn
        self.cache, self._ids = None, ()
        return other

    def begin(self, prompt_ids: Sequence[int], invariant: bool) -> Reused:
        """Start a turn. At least the prompt's last row is left to be run."""
        self.turn += 1
        if self.memory.store is not None:
            self.memory.store.turn = self.turn
        n_rows = _common(self._ids, prompt_ids[:-1]) if invariant == self._invariant else 0
        self._invariant = invariant
        return Reused(n_rows, (self._features[:n_rows],)) if n_rows else Reused()

    def room(self, n_rows: int, capacity: int, new_cache: Callable[[int], KVCache]) -> KVCache:
        """The cache with its first n rows committed, and room for `capacity`."""
        if self.cache is None or self.cache.capacity < capacity:
            grown = new_cache(capacity)
            if n_rows:
                grown.take(self.cache, n_rows)
            self.cache = grown
        self.cache.length = n_rows
        return self.cache

    def end(self, committed: Sequence[int], features: Sequence[Tensor]) -> None:
        """Finish a turn. features: of the cached rows, [n, S, H] together; () forgets the rows."""
        n_rows = min(self.cache.length, sum(map(len, features)))
        self._ids = tuple(committed[:n_rows])
        self._features = torch.cat(list(features)) if features else None


def _common(known: Sequence[int], ids: Sequence[int]) -> int:
    """The length of the common prefix."""
    pairs = zip(known, ids, strict=False)
    different = (n for n, (ours, theirs) in enumerate(pairs) if ours != theirs)
    return next(different, min(len(known), len(ids)))
