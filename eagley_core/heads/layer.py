"""The pieces that every head is made of: what is common, attention, MLP."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from eagley_core.heads.config import HeadConfig
from eagley_core.heads.rope import rotated

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From rotated query [B, heads, N, D], key and value [B, kv_heads, N, D]: [B, heads, N, D]."""


class Head(nn.Module):
    """A head's own weights and the pieces of its forward pass; it keeps no cache."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.config = config

    def add_own(self) -> None:
        """The lm_head and the embedding, where the head brings its own."""
        width = self.config.hidden_size
        if self.config.has_lm_head:
            self.lm_head = nn.Linear(width, self.config.draft_vocab_size, bias=False)
        if self.config.embedding_rows:
            self.embed_tokens = nn.Embedding(self.config.embedding_rows, width)

    @property
    def target_ids(self) -> Tensor:
        """The target's token id of each draft token, [Vd]."""
        return torch.arange(self.config.draft_vocab_size, device=self.fc.weight.device)

    def embedding(self, targets: Tensor) -> Tensor:
        """The embedding that it reads, [V, H]: its own, or else the target's."""
        return self.embed_tokens.weight if self.config.embedding_rows else targets

    def borrowed_rows(self, embedding: Tensor, lm_head: Tensor) -> Tensor:
        """The matrix [V, H] whose rows predict where it has no lm_head, of the target's two."""
        return self.embedding(embedding) if self.config.predicts_embedding else lm_head

    def fuse(self, features: Tensor) -> Tensor:
        """What the layer reads of captured states [..., S, Ht]: [..., H]."""
        raise NotImplementedError

    def forward(self, hidden: Tensor, embeds: Tensor, positions: Tensor, attend: Attend) -> Tensor:
        """One layer. hidden, embeds: [B, N, H]; positions: [N] or [B, N]. Returns [B, N, H].

        `hidden` is a fused state, or what `carried` made of an earlier output.
        """
        raise NotImplementedError

    def predictive(self, hidden: Tensor) -> Tensor:
        """What the lm_head reads of the layer's output [..., H]."""
        return hidden

    def carried(self, hidden: Tensor) -> Tensor:
        """What the next draft step reads of the layer's output [..., H]."""
        return hidden


class Attention(nn.Module):
    """A Llama layer's attention over inputs of `in_width`."""

    def __init__(self, config: HeadConfig, in_width: int) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        rows, kv_rows = (n * config.head_dim for n in (config.num_heads, config.num_kv_heads))
        self.q_proj = nn.Linear(in_width, rows, config.has_qkv_bias)
        self.k_proj = nn.Linear(in_width, kv_rows, config.has_qkv_bias)
        self.v_proj = nn.Linear(in_width, kv_rows, config.has_qkv_bias)
        self.o_proj = nn.Linear(rows, config.hidden_size, config.has_o_bias)
        if config.has_qk_norm:
            self.q_norm = nn.RMSNorm(config.head_dim, config.rms_norm_eps)
            self.k_norm = nn.RMSNorm(config.head_dim, config.rms_norm_eps)
        self.has_norms = config.has_qk_norm

    def mix(self, x: Tensor, angles: tuple[Tensor, Tensor], attend: Attend) -> Tensor:
        """Each token's mixture of values, all heads side by side, as `o_proj` reads it."""
        query, key, value = (
            project(x).unflatten(-1, (-1, self.head_dim)).transpose(-3, -2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        if self.has_norms:
            query, key = self.q_norm(query), self.k_norm(key)
        mixed = attend(rotated(query, angles), rotated(key, angles), value)
        return mixed.transpose(-3, -2).flatten(-2)


class MLP(nn.Module):
    """A Llama layer's gated MLP."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
