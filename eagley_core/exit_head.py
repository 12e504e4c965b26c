"""An exit head: from the target's state after its first l layers to a guess of its next token."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class ExitConfig:
    """The sizes of an exit head. `layer`: how many of the target's layers are before it."""

    layer: int
    hidden_size: int
    inner_size: int
    draft_vocab_size: int
    rms_norm_eps: float = 1e-5


class ExitHead(nn.Module):
    """A gated MLP beside the state, between two norms; the target's lm_head rows follow.

    The adapter of Kangaroo (2404.18911, section 3.1) without its attention: it needs no cache.
    """

    def __init__(self, config: ExitConfig) -> None:
        super().__init__()
        self.config = config
        width = config.hidden_size
        self.input_norm = nn.RMSNorm(width, config.rms_norm_eps)
        self.gate_up = nn.Linear(width, 2 * config.inner_size, bias=False)
        self.down = nn.Linear(config.inner_size, width, bias=False)
        self.norm = nn.RMSNorm(width, config.rms_norm_eps)
        self.register_buffer("target_ids", torch.arange(config.draft_vocab_size))

    def forward(self, state: Tensor) -> Tensor:
        """[..., H] to [..., H], to be multiplied with the lm_head's rows of `target_ids`."""
        normed = self.input_norm(state)
        gate, up = self.gate_up(normed).chunk(2, dim=-1)
        return self.norm(normed + self.down(F.silu(gate) * up))
