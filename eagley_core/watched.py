"""A draft that remembers which rows it ran, so that they can be told from outside."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.cache import KVCache
from eagley_core.drafting import Children, Coupling, Draft, DraftRows


class RowKeeper(Protocol):
    """A draft that keeps key/value rows of its own."""

    name: str
    cache: KVCache

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines that its keys of tokens at `positions` are turned by, [N, D]."""


class WatchedDraft:
    """A draft, and which rows it ran for the step's tree."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._levels: list[tuple[Tensor, Tensor]] = []
        self._hidden: list[Tensor] = []  # [n, H] per level: what the draft goes on from

    def __getattr__(self, name: str) -> object:
        return getattr(self._draft, name)

    def feed(
        self,
        features: Tensor,
        next_ids: Sequence[int],
        k: int,
        coupling: Coupling | None = None,
    ) -> Children:
        self._levels, self._hidden = [], []
        return self._draft.feed(features, next_ids, k, coupling)

    def extend(self, rows: DraftRows, k: int, coupling: Coupling | None = None) -> Children:
        self._levels.append((rows.tokens, rows.mask))
        children = self._draft.extend(rows, k, coupling)
        self._hidden.append(children.hidden)
        return children

    def states(self, numbers: Sequence[int]) -> Tensor | None:
        """The draft's last states after some of the rows, [n, H]; None where it shows none."""
        final = getattr(self._draft, "final", None)
        where = torch.tensor(numbers, dtype=torch.long, device=self._hidden[0].device)
        return None if final is None else final(torch.cat(self._hidden)[where])

    def paths(self) -> dict[tuple[int, ...], int]:
        """The tokens from the root's child down to each row that was run, and the row's number."""
        found: list[tuple[int, ...]] = []
        for tokens, mask in self._levels:
            above, level = len(found), host.read(torch.cat([tokens[:, None], mask.long()], 1))
            for token, *seen in level:
                parents = [column for column in range(above) if seen[column]]
                found.append((*(found[parents[-1]] if parents else ()), int(token)))
        return {path: number for number, path in reversed(list(enumerate(found)))}
