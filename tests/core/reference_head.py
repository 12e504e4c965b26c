"""A plain EAGLE-3 forward written from the paper, on the tensors of a head's file."""

import torch
import torch.nn.functional as F
from torch import Tensor


class ReferenceHead:
    """Recomputes everything from the first token at every call; no cache, one path."""

    def __init__(self, head, embedding: Tensor, head_rows: Tensor) -> None:
        self.w = {name: tensor.float() for name, tensor in head.state_dict().items()}
        self.c, self.embedding, self.head_rows = head.config, embedding.float(), head_rows.float()

    def predictions(self, features: Tensor, ids: list[int], n_drafted: int) -> Tensor:
        """Log probabilities over the head's own tokens, [1 + n_drafted, Vd].

        features: [N, S, Ht], true ones of tokens 0 to N - 1; ids: the N tokens after each, then
        `n_drafted` further ones, which the head has no features for.
        """
        hidden = self._fused(features.float())
        outputs = []
        for count in range(len(ids) - n_drafted, len(ids) + 1):
            out = self._layer(hidden, torch.tensor(ids[:count]))
            outputs.append(out[-1])
            hidden = torch.cat([hidden, out[-1:]])
        normed = self._norm(torch.stack(outputs), "norm.weight")
        return (normed @ self.head_rows.T).log_softmax(-1)

    def _fused(self, features: Tensor) -> Tensor:
        states = features.unbind(1)
        if self.c.has_fc_norm:
            states = [self._norm(x, f"fc_norm.{i}.weight") for i, x in enumerate(states)]
        return torch.cat(list(states), dim=-1) @ self.w["fc.weight"].T

    def _norm(self, x: Tensor, name: str) -> Tensor:
        scale = (x.pow(2).mean(-1, keepdim=True) + self.c.rms_norm_eps).rsqrt()
        return x * scale * self.w[name]

    def _layer(self, hidden: Tensor, ids: Tensor) -> Tensor:
        both = torch.cat(
            [
                self._norm(self.embedding[ids], "midlayer.input_layernorm.weight"),
                self._norm(hidden, "midlayer.hidden_norm.weight"),
            ],
            dim=-1,
        )
        hidden = hidden + self._attention(both)
        x = self._norm(hidden, "midlayer.post_attention_layernorm.weight")
        gate, up, down = (
            self.w[f"midlayer.mlp.{name}_proj.weight"].T for name in ("gate", "up", "down")
        )
        return hidden + (F.silu(x @ gate) * (x @ up)) @ down

    def _attention(self, both: Tensor) -> Tensor:
        n_rows, size = len(both), self.c.head_dim
        query, key, value = (
            (both @ self.w[f"midlayer.self_attn.{name}_proj.weight"].T).view(n_rows, -1, size)
            for name in ("q", "k", "v")
        )
        groups = self.c.num_heads // self.c.num_kv_heads
        query, key = self._rotated(query), self._rotated(key).repeat_interleave(groups, 1)
        scores = torch.einsum("qhd,khd->hqk", query, key) / size**0.5
        scores += torch.full((n_rows, n_rows), -torch.inf).triu(1)
        mixed = torch.einsum("hqk,khd->qhd", scores.softmax(-1), value.repeat_interleave(groups, 1))
        return mixed.flatten(1) @ self.w["midlayer.self_attn.o_proj.weight"].T

    def _rotated(self, x: Tensor) -> Tensor:
        """Dimension i and i + D/2 turn together by position / theta^(2i/D)."""
        half = self.c.head_dim // 2
        speeds = self.c.rope_theta ** (-torch.arange(half) * 2.0 / self.c.head_dim)
        angles = torch.arange(len(x))[:, None, None] * speeds
        left, right = x[..., :half], x[..., half:]
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)
