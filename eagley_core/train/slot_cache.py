"""The cached rows of many texts at once, and attention to them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.cache_utils import Cache, CacheLayerMixin

NAME = "eagley_slots"
NEIGHBOURS = 8  # slots that attend together on a CPU, each padded to their longest text


class SlotCache(Cache):
    """Key and value rows of every layer, [slots, kv_heads, capacity, head_dim] each."""

    def __init__(self, like: Sequence[Tensor], n: int) -> None:
        """`like`: each layer's keys in a cache for one text, [kv_heads, capacity, head_dim]."""
        super().__init__(layers=[_Layer(keys, n) for keys in like])
        self.longest = 0
        self.groups: list[tuple[slice, int]] = []

    def begin(self, places: Tensor, lengths: Sequence[int]) -> None:
        """The next pass writes slot i's row at places[i], its last one of lengths[i]."""
        self.longest = max(lengths)
        size = NEIGHBOURS if places.device.type == "cpu" else len(lengths)
        starts = range(0, len(lengths), size)
        self.groups = [(slice(n, n + size), max(lengths[n : n + size])) for n in starts]
        for layer in self.layers:
            layer.places, layer.longest = places.to(layer.keys.device), self.longest

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor,
        **options: object,
    ) -> tuple[Tensor, None]:
        """One query row per slot, some neighbours at a time: they share a longest text.

        query: [B, heads, 1, D]; key, value: [B, kv_heads, K, D]; attention_mask: additive,
        [B, 1, 1, K]. Returns [B, 1, heads, D].
        """
        scaled = query * (options.get("scaling") or query.shape[-1] ** -0.5)
        parts = [
            _attended(
                scaled[some], key[some, :, :n], value[some, :, :n], attention_mask[some, ..., :n]
            )
            for some, n in self.groups
        ]
        return torch.cat(parts)[:, None], None

    def copy_in(self, one: Cache, slot: int) -> None:
        """Fill a slot from a cache that holds one text."""
        for layer, source in zip(self.layers, one.layers, strict=True):
            layer.keys[slot, :, : source.start] = source.keys[:, : source.start]
            layer.values[slot, :, : source.start] = source.values[:, : source.start]

    def move(self, source: int, slot: int, n_rows: int) -> None:
        for layer in self.layers:
            layer.keys[slot, :, :n_rows] = layer.keys[source, :, :n_rows]
            layer.values[slot, :, :n_rows] = layer.values[source, :, :n_rows]


def _attended(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """[B, heads, D]. Keys come first in the product: twice as fast on a CPU as queries first."""
    n, kv_heads, length, dim = key.shape
    folded = query.reshape(n * kv_heads, -1, dim)
    scores = torch.bmm(key.flatten(0, 1), folded.mT).mT.clone(memory_format=torch.contiguous_format)
    scores = scores.view(n, kv_heads, -1, length) + mask
    weights = scores.softmax(-1).flatten(0, 1)
    return torch.bmm(weights, value.flatten(0, 1)).view(n, -1, dim)


class _Layer(CacheLayerMixin):
    is_croppable = True

    def __init__(self, keys: Tensor, n: int) -> None:
        super().__init__()
        self.keys, self.values = (keys.new_zeros(n, *keys.shape) for _ in "kv")
        self.is_initialized = True
        self.places, self.longest = torch.empty(0), 0

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing to do: the rows exist from the start."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Write one row of each slot; return all rows up to the longest text's."""
        n, slots = len(self.places), torch.arange(len(self.places), device=self.keys.device)
        self.keys[slots, :, self.places] = key_states[:, :, 0]
        self.values[slots, :, self.places] = value_states[:, :, 0]
        return self.keys[:n, :, : self.longest], self.values[:n, :, : self.longest]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.longest, 0

    def get_seq_length(self) -> int:
        return self.longest - 1

    def get_max_length(self) -> int:
        return self.keys.shape[2]


@contextmanager
def attending(decoder: PreTrainedModel, attend: Callable) -> Iterator[None]:
    """Its layers attend in this way inside, and as before outside."""
    before = decoder.config._attn_implementation
    AttentionInterface.register(NAME, attend)
    decoder.set_attn_implementation(NAME)
    try:
        yield
    finally:
        decoder.set_attn_implementation(before)
