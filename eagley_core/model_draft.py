"""A whole language model as the draft: an independent small one, or a copy of the target.

It is fed the committed tokens themselves and reads none of the target's states.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.drafting import (
    Children,
    Coupling,
    DraftRows,
    DraftStart,
    Ranking,
    best_children,
)
from eagley_core.target import Target


class ModelDraft:
    """Drafts with a causal language model whose tokens are the target's.

    model: it may predict more tokens than the target's vocab_size (a padded embedding); those
    columns are left out. Its passes need no invariant numerics: its output is only guesses.
    """

    state_ids: tuple[int, ...] = ()

    def __init__(self, model: Target, name: str, vocab_size: int) -> None:
        self.name, self.size = name, model.size
        self._model, self._vocab_size = model, vocab_size
        self._temperature = 1.0
        self._cache: KVCache | None = None
        self._unfed: list[int] = []

    def start(self, run: DraftStart) -> None:
        """Forget the last run."""
        if self._cache is None or self._cache.capacity < run.capacity:
            self._cache = self._model.new_cache(run.capacity)
        self._cache.length = 0
        self._temperature = run.temperature or 1.0
        self._unfed = [run.first_id]

    @property
    def cache(self) -> KVCache | None:
        """Its own rows, of all its layers."""
        return self._cache

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines that the keys of tokens at `positions` are turned by, [N, D]."""
        return self._model.rotation(positions)

    @property
    def length(self) -> int:
        """Tokens fed so far: the position of the root's children."""
        return self._cache.length

    def feed(
        self,
        features: Tensor,
        next_ids: Sequence[int],
        k: int,
        coupling: Coupling | None = None,
    ) -> Children:
        """Run the committed tokens; predict after the last. The features are not used."""
        ids = torch.tensor([*self._unfed, *next_ids], device=self._model.device)
        self._unfed = []
        passed = self._model.prefill(ids, self._cache, invariant=False)
        return self._children(passed.hidden[-1:], k, coupling)

    def extend(self, rows: DraftRows, k: int, coupling: Coupling | None = None) -> Children:
        """Run one level of the tree; it stays uncommitted, behind the fed rows."""
        depths = rows.positions - self.length
        passed = self._model.run(rows.tokens, depths, rows.mask, self._cache, invariant=False)
        return self._children(passed.hidden, k, coupling)

    @torch.inference_mode()
    def _children(self, hidden: Tensor, k: int, coupling: Coupling | None) -> Children:
        logits = self._model.logits(hidden)[:, : self._vocab_size]
        return best_children(logits, hidden[:, :0], Ranking(k, self._temperature, None, coupling))
