"""The target's own first layers as the draft, with an exit head behind them.

Self-speculative decoding: Kangaroo (2404.18911), LayerSkip (2404.16710).
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from eagley_core.drafting import (
    Children,
    Coupling,
    DraftRows,
    DraftStart,
    Ranking,
    best_children,
)
from eagley_core.exit_head import ExitHead
from eagley_core.packing import pack
from eagley_core.shared_rows import SharedRows
from eagley_core.sizes import size_of
from eagley_core.split_target import SplitTarget
from eagley_core.target import Target
from eagley_core.vocabulary import Vocabulary


class EarlyExitDraft:
    """Drafts with a part of the target, in the target's own cache.

    `shared` holds what it ran in a step, so that verification need not run it again.
    """

    state_ids: tuple[int, ...] = ()

    def __init__(self, head: ExitHead, target: Target, name: str) -> None:
        self.name = name
        self.shared = SharedRows(SplitTarget(target, head.config.layer))
        ids = head.target_ids.to(target.device)
        rows = target.head_weight[ids.to(target.head_weight.device)].to(target.device)
        predict = nn.Linear(rows.shape[1], rows.shape[0], bias=False, device="meta")
        predict.weight = nn.Parameter(rows, requires_grad=False)
        self._parts = nn.ModuleDict({"head": head, "predict": predict})
        pack(self._parts)
        self.size = size_of([*target.layers[: head.config.layer], self._parts])
        self._vocabulary = Vocabulary(ids, target.head_weight)
        self._temperature = 1.0

    def start(self, run: DraftStart) -> None:
        """Forget the last run; work in the target's cache."""
        self.shared.start(run)
        self._vocabulary.start(run.capacity)
        self._vocabulary.add([run.first_id])
        self._temperature = run.temperature or 1.0

    @property
    def length(self) -> int:
        """The position of the root's children."""
        return self.shared.length

    @torch.inference_mode()
    def feed(
        self,
        features: Tensor,
        next_ids: Sequence[int],
        k: int,
        coupling: Coupling | None = None,
    ) -> Children:
        """Run the root: the target has run what was committed before it. No features are read."""
        self._vocabulary.add(next_ids)
        return self._children(self.shared.run_root(next_ids[-1]), k, coupling)

    @torch.inference_mode()
    def extend(self, rows: DraftRows, k: int, coupling: Coupling | None = None) -> Children:
        """Run one level of the tree, uncommitted, behind the root and the levels before."""
        return self._children(self.shared.run_level(rows), k, coupling)

    def _children(self, states: Tensor, k: int, coupling: Coupling | None) -> Children:
        hidden = self._parts["head"](states.to(self._parts["head"].norm.weight.device))
        logits = torch.cat([self._parts["predict"](hidden), self._vocabulary.logits(hidden)], 1)
        ranking = Ranking(k, self._temperature, self._vocabulary.target_ids, coupling)
        return best_children(logits, states[:, :0], ranking)
