"""The EAGLE-3 head: one decoder layer that drafts from several of the target's hidden states.

Li et al., EAGLE-3 (2503.01840), section 3.1. Tensor names are those of the official checkpoints.
The embedding is the target's unless the head brings its own; so is the lm_head, row by row.
"""

import torch
from torch import Tensor, nn

from eagley_core.heads.config import HeadConfig
from eagley_core.heads.layer import MLP, Attend, Attention, Head
from eagley_core.heads.rope import rotation


class Eagle3Head(Head):
    """Fuses the captured states with `fc`; drafts on from its layer's own output."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__(config)
        width, n_states = config.hidden_size, len(config.state_ids)
        self.fc = nn.Linear(n_states * config.target_hidden_size, width, config.has_fc_bias)
        if config.has_fc_norm:
            norms = (
                nn.RMSNorm(config.target_hidden_size, config.rms_norm_eps) for _ in range(n_states)
            )
            self.fc_norm = nn.ModuleList(norms)
        if config.has_input_norm:
            self.input_norm = nn.RMSNorm(n_states * config.target_hidden_size, config.rms_norm_eps)
        self.midlayer = _MidLayer(config)
        self.norm = nn.RMSNorm(width, config.rms_norm_eps)
        self.add_own()
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
        states = features.flatten(-2)
        return self.fc(self.input_norm(states) if self.config.has_input_norm else states)

    def forward(
        self,
        hidden: Tensor,
        embeds: Tensor,
        positions: Tensor,
        attend: Attend,
        rows: Tensor | None = None,
    ) -> Tensor:
        """One layer. hidden, embeds: [B, N, H]; positions: [N] or [B, N]. Returns [B, N, H].

        `hidden` is a fused state, or what `carried` made of an earlier output.
        With rows [M], indices into the B * N tokens, only these leave the layer: [M, H].
        """
        return self.midlayer(hidden, embeds, rotation(self.config, positions), attend, rows)

    def predictive(self, hidden: Tensor) -> Tensor:
        return hidden if self.config.predicts_unnormed else self.norm(hidden)

    def carried(self, hidden: Tensor) -> Tensor:
        return self.norm(hidden) if self.config.carries_normed else hidden


class _MidLayer(nn.Module):
    """A Llama layer whose attention reads the embedding beside the hidden state."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        width, eps = config.hidden_size, config.rms_norm_eps
        self.norm_before_residual = config.norm_before_residual
        self.hidden_norm = nn.RMSNorm(width, eps)
        self.input_layernorm = nn.RMSNorm(width, eps)
        self.self_attn = Attention(config, 2 * width)
        self.post_attention_layernorm = nn.RMSNorm(width, eps)
        self.mlp = MLP(width, config.intermediate_size)

    def forward(
        self,
        hidden: Tensor,
        embeds: Tensor,
        angles: tuple[Tensor, Tensor],
        attend: Attend,
        rows: Tensor | None,
    ) -> Tensor:
        normed = self.hidden_norm(hidden)
        both = torch.cat([self.input_layernorm(embeds), normed], dim=-1)
        hidden = normed if self.norm_before_residual else hidden
        mixed = self.self_attn.mix(both, angles, attend)
        if rows is not None:
            hidden, mixed = (part.flatten(0, 1).index_select(0, rows) for part in (hidden, mixed))
        hidden = hidden + self.self_attn.o_proj(mixed)
        return hidden + self.mlp(self.post_attention_layernorm(hidden))
