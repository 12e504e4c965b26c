"""The EAGLE-3 head: one decoder layer that drafts from the target's hidden states.

Li et al., EAGLE-3 (2503.01840), section 3.1. Tensor names are those of the official checkpoints.
The embedding is the target's; so is the lm_head, row by row, unless the head brings its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From rotated query [B, heads, N, D], key and value [B, kv_heads, N, D]: [B, heads, N, D]."""


@dataclass(frozen=True)
class HeadConfig:
    """The sizes of a head. `state_ids` are hidden_states indices: inputs of these layers."""

    hidden_size: int
    intermediate_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    draft_vocab_size: int
    target_hidden_size: int
    state_ids: tuple[int, ...]
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    has_fc_norm: bool = False
    has_lm_head: bool = False


class Eagle3Head(nn.Module):
    """The head's own weights and the pieces of its forward pass; it keeps no cache."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.config = config
        width, states = config.hidden_size, len(config.state_ids)
        self.fc = nn.Linear(states * config.target_hidden_size, width, bias=False)
        if config.has_fc_norm:
            norms = (
                nn.RMSNorm(config.target_hidden_size, config.rms_norm_eps) for _ in range(states)
            )
            self.fc_norm = nn.ModuleList(norms)
        self.midlayer = _MidLayer(config)
        self.norm = nn.RMSNorm(width, config.rms_norm_eps)
        if config.has_lm_head:
            self.lm_head = nn.Linear(width, config.draft_vocab_size, bias=False)
        self.register_buffer("d2t", torch.zeros(config.draft_vocab_size, dtype=torch.long))

    @property
    def target_ids(self) -> Tensor:
        """The target's token id of each draft token, [Vd]. d2t stores offsets."""
        return self.d2t + torch.arange(len(self.d2t), device=self.d2t.device)

    def fuse(self, features: Tensor) -> Tensor:
        """Fuse captured states [..., S, Ht] into the head's width [..., H]."""
        if self.config.has_fc_norm:
            states = [norm(features[..., i, :]) for i, norm in enumerate(self.fc_norm)]
            return self.fc(torch.cat(states, dim=-1))
        return self.fc(features.flatten(-2))

    def forward(
        self,
        hidden: Tensor,
        embeds: Tensor,
        positions: Tensor,
        attend: Attend,
        rows: Tensor | None = None,
    ) -> Tensor:
        """One layer. hidden, embeds: [B, N, H]; positions: [N] or [B, N]. Returns [B, N, H].

        `hidden` is a fused state, or this function's own output for a token drafted before.
        With rows [M], indices into the B * N tokens, only these leave the layer: [M, H].
        """
        return self.midlayer(hidden, embeds, self.rotation(positions), attend, rows)

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines of the rotary positions, each [..., 1, N, D]."""
        half = torch.arange(0, self.config.head_dim, 2, device=positions.device).float()
        angles = positions[..., None].float() / self.config.rope_theta ** (
            half / self.config.head_dim
        )
        angles = torch.cat([angles, angles], dim=-1)[..., None, :, :]
        return angles.cos(), angles.sin()


class _MidLayer(nn.Module):
    """A Llama layer whose attention reads the embedding beside the hidden state."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        width, eps = config.hidden_size, config.rms_norm_eps
        self.hidden_norm = nn.RMSNorm(width, eps)
        self.input_layernorm = nn.RMSNorm(width, eps)
        self.self_attn = _Attention(config)
        self.post_attention_layernorm = nn.RMSNorm(width, eps)
        self.mlp = _MLP(width, config.intermediate_size)

    def forward(
        self,
        hidden: Tensor,
        embeds: Tensor,
        rotation: tuple[Tensor, Tensor],
        attend: Attend,
        rows: Tensor | None,
    ) -> Tensor:
        both = torch.cat([self.input_layernorm(embeds), self.hidden_norm(hidden)], dim=-1)
        mixed = self.self_attn.mix(both, rotation, attend)
        if rows is not None:
            hidden, mixed = (part.flatten(0, 1).index_select(0, rows) for part in (hidden, mixed))
        hidden = hidden + self.self_attn.o_proj(mixed)
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


class _Attention(nn.Module):
    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        width = config.hidden_size
        rows, kv_rows = (n * config.head_dim for n in (config.num_heads, config.num_kv_heads))
        self.q_proj = nn.Linear(2 * width, rows, bias=False)
        self.k_proj = nn.Linear(2 * width, kv_rows, bias=False)
        self.v_proj = nn.Linear(2 * width, kv_rows, bias=False)
        self.o_proj = nn.Linear(rows, width, bias=False)

    def mix(self, x: Tensor, rotation: tuple[Tensor, Tensor], attend: Attend) -> Tensor:
        """Each token's mixture of values, all heads side by side, as `o_proj` reads it."""
        query, key, value = (
            project(x).unflatten(-1, (-1, self.head_dim)).transpose(-3, -2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        mixed = attend(_rotated(query, rotation), _rotated(key, rotation), value)
        return mixed.transpose(-3, -2).flatten(-2)


class _MLP(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


def _rotated(x: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate halves, as Llama does."""
    cos, sin = (part.to(x.dtype) for part in rotation)
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-right, left], dim=-1) * sin
