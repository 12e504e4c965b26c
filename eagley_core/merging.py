"""Attention in two parts: over some keys, over the others, and merged. Pure mathematics."""

from typing import NamedTuple

import torch
from torch import Tensor


class Part(NamedTuple):
    """Attention over a part of the keys."""

    out: Tensor  # [..., N, D]; zero where a query sees no key of the part
    weight: Tensor  # [..., N] log-sum-exp of its scores; -inf where it sees none


def attend(query: Tensor, kv: tuple[Tensor, Tensor], allowed: Tensor) -> Part:
    """Attention over the allowed keys. Scaled query [..., N, D], keys and values [..., K, D].

    allowed: [N, K] bool.
    """
    keys, values = kv
    scores = (query @ keys.mT).masked_fill(~allowed, -torch.inf)
    weight = scores.logsumexp(-1)
    share = (scores - weight.masked_fill(weight.isinf(), 0.0)[..., None]).exp()
    return Part(share @ values, weight)


def merged(one: Part, other: Part) -> Part:
    """Attention over the union of two disjoint parts (online softmax: 1805.02867, 2205.14135).

    Each part counts by the exponential of its log-sum-exp.
    """
    weight = torch.logaddexp(one.weight, other.weight)
    shares = ((part.weight - weight).exp()[..., None] * part.out for part in (one, other))
    return Part(sum(shares), weight)


def relative(found: Tensor, exact: Tensor, dims: tuple[int, ...] = (-1,)) -> Tensor:
    """Norm of the difference over the norm of the exact, over `dims`, in float32."""
    gap = torch.linalg.vector_norm(found.float() - exact.float(), dim=dims)
    return gap / torch.linalg.vector_norm(exact.float(), dim=dims).clamp_min(1e-12)
