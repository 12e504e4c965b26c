"""Training-time test: the head drafts several tokens from its own outputs, as in use.

Li et al., EAGLE-3 (2503.01840), section 3.2. Row i starts from the fused states of token i; at
step j it reads the embedding of token i + 1 + j and predicts token i + 2 + j.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core.target import Target
from eagley_core.train.batches import Batch
from eagley_core.train.start import Start
from eagley_core.train.vocab import OUTSIDE, draft_index


class Step(NamedTuple):
    """What one unrolled step said about M response tokens."""

    logits: Tensor  # [M, Vd]
    label_index: Tensor  # [M, LABELS] draft tokens, OUTSIDE where the draft has no such token
    label_p: Tensor  # [M, LABELS] the target's probabilities, 0 outside the draft vocabulary


class Lookup(NamedTuple):
    """The target's frozen parts that training reads."""

    embedding: Tensor  # [V, H]
    head_rows: Tensor  # [Vd, H]
    draft_index: Tensor  # [V]


def lookup(target: Target, start: Start) -> Lookup:
    """The rows of the target's embedding and lm_head that this head works with."""
    ids = start.head.target_ids
    index = draft_index(ids.cpu(), target.vocab_size).to(target.device)
    return Lookup(target.embedding, target.head_weight[ids], index)


def unroll(start: Start, frozen: Lookup, batch: Batch, n_steps: int) -> Iterator[Step]:
    """Each step's predictions for the response tokens that it can reach."""
    head, length = start.head, batch.tokens.shape[1]
    hidden = head.fuse(batch.states.float() * start.gain)
    keys = Keys()
    for step in range(min(n_steps, length - 2)):
        shift = step + 1
        embeds = frozen.embedding[batch.tokens.roll(-shift, 1)]
        positions = torch.arange(step, step + length, device=hidden.device)
        hidden = head(hidden, embeds.to(hidden.dtype), positions, keys.attend)
        is_wanted = batch.is_response.roll(-shift - 1, 1)
        is_wanted[:, length - shift - 1 :] = False  # rolled around from the beginning
        label_ids = batch.label_ids.roll(-shift, 1)[is_wanted]
        label_p = batch.label_logp.roll(-shift, 1)[is_wanted].exp()
        index = frozen.draft_index[label_ids]
        logits = F.linear(head.norm(hidden[is_wanted]), frozen.head_rows.to(hidden.dtype))
        yield Step(logits, index, label_p.masked_fill(index == OUTSIDE, 0.0))


def soft_loss(step: Step) -> Tensor:
    """Mean cross-entropy with the target's probabilities of draft tokens.

    What the target puts on other tokens is left out, so a position where the draft vocabulary
    has little to say counts little.
    """
    logits = step.logits.float()
    chosen = logits.gather(1, step.label_index.clamp_min(0))
    losses = step.label_p * (logits.logsumexp(-1, keepdim=True) - chosen)
    return losses.sum() / max(1, len(losses))


def hits(step: Step) -> Tensor:
    """Where the draft's first choice is the target's first choice, [M] bool."""
    return step.logits.argmax(-1) == step.label_index[:, 0]


class Keys:
    """Attention over step 0's keys of earlier rows, and over the row's own keys of later steps."""

    def __init__(self) -> None:
        self.kept: list[tuple[Tensor, Tensor]] = []

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """query: [B, heads, L, D]; key, value: [B, kv_heads, L, D]. Returns [B, heads, L, D]."""
        groups = query.shape[1] // key.shape[1]
        key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
        self.kept.append((key, value))
        if len(self.kept) == 1:
            return F.scaled_dot_product_attention(query, key, value, is_causal=True)
        (first_key, first_value), *later = self.kept
        length, scale = query.shape[2], query.shape[3] ** -0.5
        past = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()
        scores = (query @ first_key.mT).masked_fill(~past, -torch.inf)
        own = [(query * k).sum(-1, keepdim=True) for k, _ in later]
        weights = (torch.cat([scores, *own], dim=-1) * scale).softmax(-1).to(value.dtype)
        mixed = weights[..., :length] @ first_value
        for n, (_, own_value) in enumerate(later):
            mixed = mixed + weights[..., length + n, None] * own_value
        return mixed
