"""The draft's vocabulary: the head's own tokens, and those of the context.

A head predicts a part of the target's vocabulary. Where it does so with the target's own lm_head
rows, the rows of tokens that occur in the context can be added while a run goes on.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core import host


class Vocabulary:
    """Which of the target's tokens the draft can propose.

    own_ids: [Vd] the head's tokens; head_weight: the target's lm_head [V, H], None where the head
    brings its own and so cannot be extended.
    """

    def __init__(self, own_ids: Tensor, head_weight: Tensor | None) -> None:
        self._own, self._head_weight = own_ids, head_weight
        self._own_set = frozenset(host.read(own_ids))
        self._known = set(self._own_set)
        self._rows = self._ids = None
        self._n_added = 0

    def start(self, capacity: int) -> None:
        """Forget the last run's context; make room for `capacity` tokens of the next."""
        self._known, self._n_added = set(self._own_set), 0
        if self._head_weight is not None and (self._rows is None or len(self._rows) < capacity):
            width = self._head_weight.shape[1]
            self._rows = self._head_weight.new_zeros(capacity, width, device=self._own.device)
            self._ids = torch.cat([self._own, self._own.new_zeros(capacity)])

    def add(self, token_ids: Sequence[int]) -> None:
        """Learn tokens of the context that the head does not know."""
        new = [token for token in dict.fromkeys(token_ids) if token not in self._known]
        if self._head_weight is None or not new:
            return
        self._known.update(new)
        stop = self._n_added + len(new)
        ids = torch.tensor(new, device=self._head_weight.device)
        self._rows[self._n_added : stop] = self._head_weight[ids].to(self._rows.device)
        self._ids[len(self._own) + self._n_added : len(self._own) + stop] = ids.to(self._ids.device)
        self._n_added = stop

    @property
    def target_ids(self) -> Tensor:
        """The target's id of each token in use, [Vd + added]."""
        return self._own if self._ids is None else self._ids[: len(self._own) + self._n_added]

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits of the added tokens, [N, added], from the head's normed output [N, H]."""
        if not self._n_added:
            return hidden[:, :0]
        return F.linear(hidden, self._rows[: self._n_added])
