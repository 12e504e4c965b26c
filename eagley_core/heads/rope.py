"""Rotary positions of a head."""

import math

import torch
from torch import Tensor

from eagley_core.heads.config import HeadConfig, RopeScaling


def rotation(config: HeadConfig, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of positions [...], each [..., 1, N, D] for positions [..., N]."""
    half = torch.arange(0, config.head_dim, 2, device=positions.device).float()
    periods = config.rope_theta ** (half / config.head_dim)
    if config.rope_scaling:
        periods = _scaled(periods, config.rope_scaling)
    angles = positions[..., None].float() / periods
    angles = torch.cat([angles, angles], dim=-1)[..., None, :, :]
    return angles.cos(), angles.sin()


def _scaled(periods: Tensor, scaling: RopeScaling) -> Tensor:
    """Periods in positions per radian, longer by the factor.

    llama3 (Llama 3.1's): what turns more than `high_freq_factor` times within the original context
    keeps its period, what turns less than `low_freq_factor` times is scaled, with a blend between.
    """
    if scaling.kind == "linear":
        return periods * scaling.factor
    turns = scaling.original_positions / (2 * math.pi * periods)
    kept = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
    kept = kept.clamp(0, 1)
    return periods / (kept + (1 - kept) / scaling.factor)


def rotated(x: Tensor, angles: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate halves, as Llama does."""
    cos, sin = (part.to(x.dtype) for part in angles)
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-right, left], dim=-1) * sin
