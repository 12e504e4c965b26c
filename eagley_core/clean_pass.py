"""One pass over a text behind nothing, and what is inside it: what is exact."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.internals import Row
from eagley_core.target import Target


class CleanPass(NamedTuple):
    """One pass over a text, K tokens, behind nothing."""

    kv: Tensor  # [layers, 2, kv_heads, K, D]
    queries: Tensor  # [layers, heads, K, D] times the scale of the scores, float32
    hidden: Tensor  # [K, H] what the lm_head reads
    similarity: Row  # per layer: mean cosine of its input and its output


def clean_pass(target: Target, text: Sequence[int], invariant: bool) -> CleanPass:
    """Run a text afresh and keep what is inside."""
    cache = target.new_cache(len(text) + target.min_rows)
    with tapped(target) as taps:
        hidden = target.prefill(torch.tensor(text, device=target.device), cache, invariant).hidden
    queries = torch.stack([torch.cat(blocks, dim=1)[:, : len(text)] for blocks in taps.queries])
    similarity = tuple(float(torch.cat(c)[: len(text)].mean()) for c in taps.cosines)
    return CleanPass(rows_of(cache, 0, len(text)), queries, hidden, similarity)


class Taps(NamedTuple):
    """What passes leave behind, per layer and block of rows."""

    queries: list[list[Tensor]]  # [heads, n, D]
    cosines: list[list[Tensor]]  # [n] of the layer's input and output


@contextmanager
def tapped(target: Target) -> Iterator[Taps]:
    """While it is open, the target's passes leave their queries and states' similarities."""
    taps = Taps([[] for _ in target.layers], [[] for _ in target.layers])
    hooks = []
    for index, layer in enumerate(target.layers):
        layer.self_attn.tap = _scaled_into(taps.queries[index])
        keep = _keeper(taps.cosines[index])
        hooks.append(layer.register_forward_hook(keep, with_kwargs=True))
    try:
        yield taps
    finally:
        for hook, layer in zip(hooks, target.layers, strict=True):
            hook.remove()
            del layer.self_attn.tap


def _scaled_into(queries: list[Tensor]) -> Callable[[Tensor, float], None]:
    return lambda query, scale: queries.append(query.float() * scale)


def _keeper(cosines: list[Tensor]) -> Callable[..., None]:
    def keep(_: object, args: tuple, kwargs: dict, output: object) -> None:
        before = args[0] if args else kwargs["hidden_states"]
        after = output[0] if isinstance(output, tuple) else output
        cosines.append(F.cosine_similarity(before[0].float(), after[0].float(), dim=-1))

    return keep


def rows_of(cache: KVCache, start: int, stop: int) -> Tensor:
    """Copies of rows of a cache, [layers, 2, kv_heads, n, D], on the first layer's device."""
    device = cache.layers[0].keys.device
    pairs = (torch.stack([y.keys[:, start:stop], y.values[:, start:stop]]) for y in cache.layers)
    return torch.stack([pair.to(device) for pair in pairs])
