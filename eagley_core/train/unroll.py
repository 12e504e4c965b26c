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
    """What one unrolled step says about M response tokens, and what the target says."""

    states: Tensor  # [M, H] the head's output, ready for the lm_head's rows
    label_index: Tensor  # [M, LABELS] draft tokens, OUTSIDE where the draft has no such token
    label_p: Tensor  # [M, LABELS] the target's probabilities, 0 outside the draft vocabulary


class Lookup(NamedTuple):
    """The target's frozen parts that training reads."""

    embedding: Tensor  # [V, H]
    head_rows: Tensor  # [Vd, H]
    draft_index: Tensor  # [V]
    head_weight: Tensor  # [V, H]: all rows, of which head_rows are some
    is_known: Tensor  # [V] bool, on the host: which tokens have a draft token


def lookup(target: Target, start: Start) -> Lookup:
    """The rows of the target's embedding and lm_head that this head works with."""
    ids = start.head.target_ids
    index = draft_index(ids.cpu(), target.vocab_size)
    weight = target.head_weight
    return Lookup(target.embedding, weight[ids], index.to(target.device), weight, index != OUTSIDE)


def with_words(frozen: Lookup, words: Tensor) -> Lookup:
    """The lookup with these tokens too, as the engine adds those of its context; words: [E].

    So the head learns to repeat words of the prompt that are not in its vocabulary.
    """
    new = words[~frozen.is_known[words]].to(frozen.draft_index.device)
    first = len(frozen.head_rows)
    places = torch.arange(first, first + len(new), device=new.device)
    return frozen._replace(
        head_rows=torch.cat([frozen.head_rows, frozen.head_weight[new]]),
        draft_index=frozen.draft_index.index_copy(0, new, places),
    )


class Rows(NamedTuple):
    """Which of the B * L rows a step works on; decided on the host, as they give the shapes."""

    kept: Tensor  # [K] rows that leave the layer: this step or a later one predicts from them
    predicting: Tensor  # [M] places among `kept` of those that predict a response token now
    labels: Tensor  # [M] flat index of the token after which each prediction stands


def rows_by_step(is_response: Tensor, n_steps: int, device: torch.device) -> list[Rows]:
    """The rows of each step; is_response: [B, L] bool on the host."""
    ahead = torch.zeros(n_steps, *is_response.shape, dtype=torch.bool)
    for step in range(n_steps):
        ahead[step, :, : -step - 2] = is_response[:, step + 2 :]
    found = []
    for step, wanted in enumerate(ahead.flatten(1)):
        kept = ahead[step:].any(0).flatten().nonzero()[:, 0]
        predicting = wanted[kept].nonzero()[:, 0]
        rows = Rows(kept, predicting, kept[predicting] + step + 1)
        found.append(Rows(*(part.to(device) for part in rows)))
    return found


def unroll(start: Start, frozen: Lookup, batch: Batch, n_steps: int) -> Iterator[Step]:
    """Each step's predictions for the response tokens that it can reach."""
    head, (n, length) = start.head, batch.tokens.shape
    hidden = head.fuse(batch.states.float() * start.gain)
    keys = Keys()
    n_steps = min(n_steps, length - 2)
    for step, rows in enumerate(rows_by_step(batch.is_response, n_steps, hidden.device)):
        embeds = F.embedding(batch.tokens.roll(-step - 1, 1), frozen.embedding)
        positions = torch.arange(step, step + length, device=hidden.device)
        kept = head(hidden, embeds.to(hidden.dtype), positions, keys.attend, rows.kept)
        hidden = kept.new_zeros(n * length, kept.shape[1])
        hidden = hidden.index_copy(0, rows.kept, head.carried(kept)).unflatten(0, (n, length))
        label_ids, label_logp = (
            part.flatten(0, 1).index_select(0, rows.labels)
            for part in (batch.label_ids, batch.label_logp)
        )
        index = frozen.draft_index[label_ids]
        label_p = label_logp.exp().masked_fill(index == OUTSIDE, 0.0)
        yield Step(head.predictive(kept.index_select(0, rows.predicting)), index, label_p)


class Keys:
    """Attention over step 0's keys of earlier rows, and over the row's own keys of later steps."""

    def __init__(self) -> None:
        self.kept: list[tuple[Tensor, Tensor]] = []

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """query: [B, heads, L, D]; key, value: [B, kv_heads, L, D]. Returns [B, heads, L, D]."""
        self.kept.append((key, value))
        if query.is_cuda and len(self.kept) == 1:  # on a CPU, plain products are faster
            return F.scaled_dot_product_attention(
                query, key, value, is_causal=True, enable_gqa=True
            )
        (first_key, first_value), *later = self.kept
        length, groups = query.shape[2], query.shape[1] // key.shape[1]
        query = query.unflatten(1, (-1, groups)) * query.shape[3] ** -0.5
        future = torch.full((length, length), -torch.inf, device=query.device).triu(1)
        scores = _grouped(query, first_key.mT) + future.to(query.dtype)
        own = [(query * k[:, :, None]).sum(-1, keepdim=True) for k, _ in later]
        weights = torch.cat([scores, *own], dim=-1).softmax(-1, dtype=scores.dtype)
        mixed = _grouped(weights[..., :length], first_value)
        for n, (_, own_value) in enumerate(later):
            mixed = mixed + weights[..., length + n, None] * own_value[:, :, None]
        return mixed.flatten(1, 2)


def _grouped(left: Tensor, right: Tensor) -> Tensor:
    """left: [B, kv_heads, groups, L, N], right: [B, kv_heads, N, M]: one product for all groups."""
    return (left.flatten(2, 3) @ right).unflatten(2, left.shape[2:4])
