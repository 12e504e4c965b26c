"""The draft at work: an EAGLE head with its own cache, fed with the target's true features.

Row i pairs the features of token i with the embedding of token i+1, sits at rotary position i and
predicts token i+2 (EAGLE-3, section 3.1; positions as in the official code).
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from eagley_core.cache import KVCache, RowShape
from eagley_core.drafting import (
    Children,
    Coupling,
    DraftRows,
    DraftStart,
    Ranking,
    best_children,
)
from eagley_core.heads.layer import Head
from eagley_core.heads.rope import rotation
from eagley_core.packing import pack
from eagley_core.sizes import size_of
from eagley_core.target import PREFILL_ROWS, Target
from eagley_core.vocabulary import Vocabulary


class EagleDraft:
    """Drafts with an EAGLE head. One run at a time: `start`, then `feed` and `extend`."""

    def __init__(self, head: Head, target: Target, name: str) -> None:
        self.name, self.state_ids = name, head.config.state_ids
        self._device = target.device
        self._embedding = head.embedding(target.embedding)
        lent = head.borrowed_rows(target.embedding, target.head_weight)
        is_whole = head.config.draft_vocab_size == target.vocab_size
        can_grow = not (is_whole or head.config.has_lm_head)
        self._vocabulary = Vocabulary(head.target_ids, lent if can_grow else None)
        self._parts = nn.ModuleDict({"head": head})
        if not head.config.has_lm_head:
            self._parts["predict"] = _predictor(head, target, lent)
        self.size = size_of([self._parts])
        pack(self._parts)
        self._head = head
        self._predict = head.lm_head if head.config.has_lm_head else self._parts["predict"]
        self._shape = RowShape(head.config.num_kv_heads, head.config.head_dim, target.dtype)
        self._temperature = 1.0
        self._cache: KVCache | None = None

    def start(self, run: DraftStart) -> None:
        """Forget the last run."""
        if self._cache is None or self._cache.capacity < run.capacity:
            self._cache = KVCache(self._shape, [self._device], run.capacity)
        self._cache.length = 0
        self._vocabulary.start(run.capacity)
        self._temperature = run.temperature or 1.0

    @property
    def cache(self) -> KVCache | None:
        """Its own rows, one layer of them."""
        return self._cache

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines that the keys of tokens at `positions` are turned by, [N, D].

        A row sits one position before its token.
        """
        cos, sin = rotation(self._head.config, positions - 1)
        return cos[0], sin[0]

    def final(self, hidden: Tensor) -> Tensor:
        """What the lm_head reads of what `extend` returned as hidden, [N, H]."""
        is_normed = self._head.config.carries_normed
        return hidden if is_normed else self._head.predictive(hidden)

    @property
    def length(self) -> int:
        """Rows fed so far: the position of the next."""
        return self._cache.length

    @torch.inference_mode()
    def feed(
        self,
        features: Tensor,
        next_ids: Sequence[int],
        k: int,
        coupling: Coupling | None = None,
    ) -> Children:
        """Run true features [N, S, Ht] with the N tokens after them; predict after the last."""
        self._vocabulary.add(next_ids)
        next_tokens = torch.tensor(next_ids, device=self._device)
        hidden = None
        blocks = zip(features.split(PREFILL_ROWS), next_tokens.split(PREFILL_ROWS), strict=True)
        for block, tokens in blocks:
            n_rows = len(tokens)
            chain = torch.ones(n_rows, n_rows, dtype=torch.bool, device=self._device).tril()
            positions = self.length + torch.arange(n_rows, device=self._device)
            fused = self._head.fuse(block.to(self._device))
            hidden = self._layer(fused, tokens, positions, chain)
            self._cache.commit(range(n_rows))
        return self._children(hidden[-1:], k, coupling)

    @torch.inference_mode()
    def extend(self, rows: DraftRows, k: int, coupling: Coupling | None = None) -> Children:
        """Run one level of the tree; it stays uncommitted, behind the fed rows."""
        hidden = self._layer(rows.hidden, rows.tokens, rows.positions, rows.mask)
        return self._children(hidden, k, coupling)

    def _layer(self, hidden: Tensor, tokens: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        """One pass of N rows. mask: [N, M], the columns being the last M of the M + fed rows."""
        layer = self._cache.layers[0]
        layer.start = self.length + mask.shape[1] - len(tokens)
        allowed = torch.cat([mask.new_ones(len(tokens), self.length), mask], dim=1)

        def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            keys, values = layer.update(key, value)
            groups = query.shape[1] // keys.shape[1]
            folded = query.reshape(1, keys.shape[1], -1, query.shape[-1])
            out = F.scaled_dot_product_attention(
                folded, keys, values, attn_mask=allowed.repeat(groups, 1)
            )
            return out.reshape(query.shape)

        embeds = self._embedding[tokens][None]
        return self._head(hidden[None], embeds, positions, attend)[0]

    def _children(self, hidden: Tensor, k: int, coupling: Coupling | None) -> Children:
        hidden_out = self._head.predictive(hidden)
        own = self._predict(hidden_out).to(hidden_out.device)
        logits = torch.cat([own, self._vocabulary.logits(hidden_out)], 1)
        ranking = Ranking(k, self._temperature, self._vocabulary.target_ids, coupling)
        return best_children(logits, self._head.carried(hidden), ranking)


def _predictor(head: Head, target: Target, lent: Tensor) -> nn.Module:
    """The target's lm_head, or the rows of the head's tokens out of `lent` [V, H]."""
    ids = head.target_ids.to(lent.device)
    whole = torch.arange(len(lent), device=ids.device)
    if lent is target.head_weight and len(ids) == len(whole) and torch.equal(ids, whole):
        return target.lm_head
    rows = lent[ids]
    predict = nn.Linear(rows.shape[1], rows.shape[0], bias=False, device="meta")
    predict.weight = nn.Parameter(rows.to(target.device), requires_grad=False)
    return predict
