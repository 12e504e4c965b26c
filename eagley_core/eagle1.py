"""The EAGLE-1 head, which is EAGLE-2's too: it predicts the target's next last hidden state.

Li et al., EAGLE (2401.15077), section 3.1; EAGLE-2 (2406.16858) changes the trees only. Tensor
names are those of the official checkpoints. The lm_head is the target's.
"""

import torch
from torch import Tensor, nn

from eagley_core.heads.config import HeadConfig
from eagley_core.heads.layer import MLP, Attend, Attention, Head
from eagley_core.heads.rope import rotation


class Eagle1Head(Head):
    """Reads the state after the target's final norm; its output is a guess of the next one."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.fc = nn.Linear(2 * width, width, config.has_fc_bias)
        self.layers = nn.ModuleList([_Layer(config)])
        self.add_own()

    def fuse(self, features: Tensor) -> Tensor:
        """The one captured state of features [..., 1, H]."""
        return features[..., 0, :]

    def forward(self, hidden: Tensor, embeds: Tensor, positions: Tensor, attend: Attend) -> Tensor:
        fused = self.fc(torch.cat([embeds, hidden], dim=-1))
        return self.layers[0](fused, rotation(self.config, positions), attend)


class _Layer(nn.Module):
    """A Llama layer without the norm before its attention."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config, config.hidden_size)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = MLP(config.hidden_size, config.intermediate_size)

    def forward(self, hidden: Tensor, angles: tuple[Tensor, Tensor], attend: Attend) -> Tensor:
        hidden = hidden + self.self_attn.o_proj(self.self_attn.mix(hidden, angles, attend))
        return hidden + self.mlp(self.post_attention_layernorm(hidden))
