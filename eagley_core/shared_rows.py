"""Channel R4, `shared-kv`: rows of the target's first layers that drafting has computed already.

An early-exit draft runs the target's own first l layers over the root and over the nodes that it
grows children from. Their cache rows and states are the target's, so that verification goes on at
layer l with them. Kangaroo (2404.18911) and LayerSkip (2404.16710, section 4.3) do so for chains;
here it is done for trees that hold other sources' nodes too.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.drafting import DraftRows, DraftStart
from eagley_core.split_target import SplitTarget
from eagley_core.target import Pass
from eagley_core.tree import Tree


class Resumed(NamedTuple):
    """A target pass, and the rows of it that did not run through the first layers again."""

    passed: Pass
    shared: tuple[int, ...]


class SharedRows:
    """The rows that drafting ran since the last commit. Slot 0 is the root, uncommitted too."""

    def __init__(self, split: SplitTarget) -> None:
        self._split = split
        self._run: DraftStart | None = None
        self._tokens: list[Tensor] = []
        self._parents: list[Tensor] = []  # slots
        self._states: list[Tensor] = []

    def start(self, run: DraftStart) -> None:
        """Work in this run's cache, with its numerics: the rows will be the target's."""
        self._run = run
        self._forget()

    @property
    def length(self) -> int:
        """The position of the root's children."""
        return self._run.cache.length + 1

    def run_root(self, token: int) -> Tensor:
        """The root's state after the first l layers, [1, H]."""
        self._forget()
        device = self._split.target.device
        mask = torch.ones(1, 1, dtype=torch.bool, device=device)
        root = torch.tensor([token], device=device)
        return self._ran(root, torch.zeros_like(root), mask)

    def run_level(self, rows: DraftRows) -> Tensor:
        """The states of one level's nodes, [N, H]."""
        seen = torch.cat([rows.mask.new_ones(len(rows.tokens), 1), rows.mask], dim=1)
        return self._ran(rows.tokens, rows.positions - self.length + 1, seen)

    def _ran(self, tokens: Tensor, depths: Tensor, mask: Tensor) -> Tensor:
        """mask: [N, M] over all slots so far, these N included."""
        states = self._split.lower(tokens, depths, mask, self._run.cache, self._run.invariant)
        slots = torch.arange(mask.shape[1], device=mask.device)
        before = mask[:, : mask.shape[1] - len(tokens)]
        newest = (before * slots[: before.shape[1]]).amax(1) if before.shape[1] else tokens * 0
        self._tokens.append(tokens)
        self._parents.append(newest)
        self._states.append(states)
        return states

    def _forget(self) -> None:
        self._tokens, self._parents, self._states = [], [], []

    @torch.inference_mode()
    def resume(self, tree: Tree) -> Resumed:
        """The tree's target pass, from layer l on for every row that drafting ran. Commits nothing.

        Rows that it did not run, such as leaves and recycled nodes, run through all layers.
        """
        slots = self._slots(tree)
        rest = [row for row, slot in enumerate(slots) if slot is None]
        states = self._all_states(tree, slots, rest)
        self._split.move(self._run.cache, self._order(slots, rest))
        self._forget()
        passed = self._split.upper(states, tree, self._run.cache, self._run.invariant)
        return Resumed(passed, tuple(row for row, slot in enumerate(slots) if slot is not None))

    def _slots(self, tree: Tree) -> list[int | None]:
        """The slot of every row of the tree; None where drafting did not run it."""
        if not self._tokens:
            return [None] * len(tree.tokens)
        ran = host.read(torch.stack([torch.cat(self._parents), torch.cat(self._tokens)], dim=1))
        by_place = {(parent, token): slot for slot, (parent, token) in enumerate(ran) if slot}
        slots: list[int | None] = [0]
        for parent, token in host.read(torch.stack([tree.parents, tree.tokens], dim=1))[1:]:
            slots.append(by_place.get((slots[parent], token)))
        return slots

    def _all_states(self, tree: Tree, slots: list[int | None], rest: list[int]) -> Tensor:
        """Every row's state at layer l, [N, H]: the rows of `rest` run now, behind the slots."""
        known = [*self._states]
        n_slots = sum(map(len, self._tokens))
        if rest:
            rows = torch.tensor(rest, device=tree.mask.device)
            mask = tree.mask.new_zeros(len(rest), n_slots + len(rest))
            for row, slot in enumerate(slots):
                if slot is not None:
                    mask[:, slot] = tree.mask[rows, row]
            mask[:, n_slots:] = tree.mask[rows][:, rows]
            cache, invariant = self._run.cache, self._run.invariant
            known.append(
                self._split.lower(tree.tokens[rows], tree.depths[rows], mask, cache, invariant)
            )
        return torch.cat(known)[self._order(slots, rest)]

    def _order(self, slots: list[int | None], rest: list[int]) -> list[int]:
        """Where each row of the tree lies among the uncommitted rows of the first layers."""
        behind = {row: sum(map(len, self._tokens)) + i for i, row in enumerate(rest)}
        return [behind[row] if slot is None else slot for row, slot in enumerate(slots)]
