"""Heads computed plainly from the tensors of a checkpoint, as the published code does it.

Written from the formats alone: it shares nothing with the loader, not even names of settings.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


def speeds(theta: float, dim: int) -> Tensor:
    """Radians per position of each pair of dimensions, [D/2]."""
    return torch.tensor([theta ** (-2 * i / dim) for i in range(dim // 2)])


def llama3_speeds(theta: float, dim: int, rope: dict) -> Tensor:
    """Slow dimensions are scaled, quick ones kept, by the wavelength in positions."""
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    factor, original = rope["factor"], rope["original_max_position_embeddings"]
    found = []
    for speed in speeds(theta, dim).tolist():
        wavelength = 2 * math.pi / speed
        if wavelength < original / high:
            found.append(speed)
        elif wavelength > original / low:
            found.append(speed / factor)
        else:
            share = (original / wavelength - low) / (high - low)
            found.append((1 - share) * speed / factor + share * speed)
    return torch.tensor(found)


@dataclass
class Plain:
    """One head. `layer` is the prefix of the layer's tensors, `rows` the lm_head's [Vd, H]."""

    w: dict[str, Tensor]
    embedding: Tensor
    rows: Tensor
    layer: str = "midlayer"
    fc: str = "fc"
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 8
    eps: float = 1e-5
    speeds: Tensor | None = None
    is_eagle1: bool = False
    normed_residual: bool = False
    carries_normed: bool = False
    predicts_unnormed: bool = False

    def log_probs(self, features: Tensor, ids: list[int], n_drafted: int) -> Tensor:
        """Of the head's tokens, [1 + n_drafted, Vd].

        features: [N, S, Ht] of N tokens; ids: the N tokens after each, then `n_drafted` more.
        """
        hidden, outputs = self.fused(features), []
        for count in range(len(ids) - n_drafted, len(ids) + 1):
            out = self.step(hidden, torch.tensor(ids[:count]))[-1:]
            outputs.append(out if self.is_eagle1 or self.predicts_unnormed else self.norm(out))
            hidden = torch.cat([hidden, self.norm(out) if self.carries_normed else out])
        return (torch.cat(outputs) @ self.rows.T).log_softmax(-1)

    def fused(self, features: Tensor) -> Tensor:
        if self.is_eagle1:
            return features[:, 0]
        states = list(features.unbind(1))
        if "fc_norm.0.weight" in self.w:
            states = [self.norm(x, f"fc_norm.{i}") for i, x in enumerate(states)]
        joined = torch.cat(states, dim=1)
        if "input_norm.weight" in self.w:
            joined = self.norm(joined, "input_norm")
        return self.linear(joined, self.fc)

    def step(self, hidden: Tensor, ids: Tensor) -> Tensor:
        """The layer over a chain at positions 0, 1, …"""
        embeds = self.embedding[ids]
        if self.is_eagle1:
            x = residual = self.linear(torch.cat([embeds, hidden], dim=1), self.fc)
        else:
            normed = self.norm(hidden, f"{self.layer}.hidden_norm")
            residual = normed if self.normed_residual else hidden
            x = torch.cat([self.norm(embeds, f"{self.layer}.input_layernorm"), normed], dim=1)
        hidden = residual + self.attention(x)
        x = self.norm(hidden, f"{self.layer}.post_attention_layernorm")
        gate, up = (self.linear(x, f"{self.layer}.mlp.{name}_proj") for name in ("gate", "up"))
        return hidden + self.linear(F.silu(gate) * up, f"{self.layer}.mlp.down_proj")

    def attention(self, x: Tensor) -> Tensor:
        at = f"{self.layer}.self_attn"
        query, key, value = (
            self.linear(x, f"{at}.{name}_proj").view(len(x), -1, self.head_dim) for name in "qkv"
        )
        if f"{at}.q_norm.weight" in self.w:
            query, key = self.norm(query, f"{at}.q_norm"), self.norm(key, f"{at}.k_norm")
        query, key = self.rotated(query), self.rotated(key)
        mixed = torch.zeros_like(query)
        for row in range(len(x)):
            for head in range(self.heads):
                group = head * self.kv_heads // self.heads
                scores = key[: row + 1, group] @ query[row, head] / math.sqrt(self.head_dim)
                mixed[row, head] = scores.softmax(0) @ value[: row + 1, group]
        return self.linear(mixed.flatten(1), f"{at}.o_proj")

    def rotated(self, x: Tensor) -> Tensor:
        """Dimensions i and i + D/2 turn together."""
        turning = speeds(10000.0, self.head_dim) if self.speeds is None else self.speeds
        angles = torch.arange(len(x))[:, None, None] * turning
        left, right = x.chunk(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)

    def norm(self, x: Tensor, name: str = "norm") -> Tensor:
        return x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() * self.w[f"{name}.weight"]

    def linear(self, x: Tensor, name: str) -> Tensor:
        out = x @ self.w[f"{name}.weight"].T
        return out + self.w[f"{name}.bias"] if f"{name}.bias" in self.w else out
