"""Preallocated key/value rows, given to transformers as its cache object."""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

KVRows = dict[torch.device, Tensor]
"""Copies of some rows of every layer: per device [layers, 2, kv_heads, rows, head_dim]."""


class KVCache(Cache):
    """Key and value rows of every layer, allocated once, written in place.

    `length` committed rows come first; a pass writes its rows behind them. One tensor per device,
    [layers, 2, kv_heads, capacity, head_dim], so that committing a path is one move per device.
    """

    def __init__(self, shape: "RowShape", devices: Sequence[torch.device], capacity: int) -> None:
        counts = {device: list(devices).count(device) for device in dict.fromkeys(devices)}
        self.storage = {
            device: torch.zeros(
                (n, 2, shape.heads, capacity, shape.dim), dtype=shape.dtype, device=device
            )
            for device, n in counts.items()
        }
        taken = dict.fromkeys(counts, 0)
        rows = []
        for device in devices:
            rows.append(_Layer(self.storage[device][taken[device]]))
            taken[device] += 1
        super().__init__(layers=rows)
        self.capacity = capacity
        self.length = 0

    @property
    def length(self) -> int:
        """Committed rows."""
        return self._length

    @length.setter
    def length(self, rows: int) -> None:
        self._length = rows
        self.write_behind(0)

    def write_behind(self, n_rows: int) -> None:
        """Let the next pass write its rows behind n uncommitted ones of earlier passes."""
        for layer in self.layers:
            layer.start = self._length + n_rows

    def commit(self, rows: Sequence[int]) -> None:
        """Keep `rows` (counted from the first uncommitted row), in order, and drop the others."""
        start = self.length
        if list(rows) != list(range(len(rows))):
            for device, kv in self.storage.items():
                kept = torch.tensor(rows, device=device) + start
                kv[..., start : start + len(rows), :] = kv[..., kept, :]
        self.length = start + len(rows)

    def take(self, other: "KVCache", n_rows: int) -> None:
        """Copy the first n rows of another cache of the same layers, and hold just these."""
        for device, kv in self.storage.items():
            kv[..., :n_rows, :] = other.storage[device][..., :n_rows, :]
        self.length = n_rows

    def uncommitted(self, rows: Sequence[int]) -> KVRows:
        """Copies of `rows`, counted from the first uncommitted row."""
        return {
            device: kv[..., torch.tensor(rows, device=device) + self.length, :]
            for device, kv in self.storage.items()
        }

    def lay(self, rows: KVRows) -> None:
        """Put copied rows behind the committed ones, for a pass that writes behind them."""
        for device, copied in rows.items():
            stop = self.length + copied.shape[-2]
            self.storage[device][..., self.length : stop, :] = copied

    def behind(self, rows: Sequence[int]) -> Tensor:
        """Copies of uncommitted rows, [layers, 2, kv_heads, n, head_dim], on the last device."""
        layers = (layer.copied([self.length + row for row in rows]) for layer in self.layers)
        return torch.stack([kv.to(self.layers[-1].keys.device) for kv in layers])

    def put(self, layers: Sequence[int], row: int, kv: Tensor) -> None:
        """Write one uncommitted row, kv [n_layers, 2, kv_heads, head_dim], into these layers."""
        for index, (keys, values) in zip(layers, kv, strict=True):
            layer = self.layers[index]
            layer.keys[:, self.length + row] = keys.to(layer.keys.device)
            layer.values[:, self.length + row] = values.to(layer.keys.device)

    def stand_in(self, layers: Sequence[int], rows: Sequence[int], kv: Tensor | None) -> None:
        """Let kv [n_layers, 2, kv_heads, n, head_dim] replace these rows of the coming passes.

        No layers: no longer.
        """
        for layer in self.layers:
            layer.substitute = None
        for index, own in zip(layers, () if kv is None else kv, strict=True):
            device = self.layers[index].keys.device
            where = torch.tensor(rows, dtype=torch.long, device=device)
            self.layers[index].substitute = where, own.to(device)

    @property
    def bytes_per_row(self) -> int:
        per_device = (kv.numel() * kv.element_size() for kv in self.storage.values())
        return sum(per_device) // self.capacity


class RowShape:
    """What one cached row of one layer looks like."""

    def __init__(self, heads: int, dim: int, dtype: torch.dtype) -> None:
        self.heads, self.dim, self.dtype = heads, dim, dtype


class _Layer(CacheLayerMixin):
    """One layer's view of the storage [2, kv_heads, capacity, head_dim]."""

    is_croppable = True

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        self.keys, self.values = rows[0], rows[1]
        self.is_initialized = True
        self.start = 0
        self.substitute: tuple[Tensor, Tensor] | None = None  # see KVCache.stand_in

    def copied(self, rows: Sequence[int]) -> Tensor:
        """Copies of rows, [2, kv_heads, n, head_dim]."""
        where = torch.tensor(rows, dtype=torch.long, device=self.keys.device)
        return torch.stack([self.keys[:, where], self.values[:, where]])

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing to do: the rows exist from the start."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Write a pass's rows [1, kv_heads, N, head_dim]; return all rows up to the last one."""
        stop = self.start + key_states.shape[2]
        if stop > self.keys.shape[1]:
            raise ValueError(f"the cache holds {self.keys.shape[1]} rows, {stop} are needed")
        self.keys[:, self.start : stop] = key_states[0]
        self.values[:, self.start : stop] = value_states[0]
        if self.substitute is not None:
            rows, kv = self.substitute
            self.keys[:, self.start + rows], self.values[:, self.start + rows] = kv
        return self.keys[None, :, :stop], self.values[None, :, :stop]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.start + query_length, 0

    def get_seq_length(self) -> int:
        return self.start

    def get_max_length(self) -> int:
        return self.keys.shape[1]
