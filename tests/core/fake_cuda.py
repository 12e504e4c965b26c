"""Fake CUDA tensors on a build of torch without CUDA.

They have shapes and devices but no values: mixed devices raise, and so does every read back.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.overrides import TorchFunctionMode


@contextmanager
def fake_cuda() -> Iterator[None]:
    """Within it, tensors may be made on CUDA."""
    with FakeTensorMode(), _DispatchedIndexing():
        yield


def on_device(module: nn.Module) -> nn.Module:
    """The module with tensors of the same shapes on CUDA; shared ones stay shared."""
    known: dict[int, Tensor] = {}

    def moved(old: Tensor) -> Tensor:
        return known.setdefault(id(old), torch.empty(old.shape, dtype=old.dtype, device="cuda"))

    for part in module.modules():
        for name, old in part._parameters.items():
            if old is not None:
                part._parameters[name] = nn.Parameter(moved(old), requires_grad=False)
        part._buffers.update({name: moved(old) for name, old in part._buffers.items()})
    return module


class _DispatchedIndexing(TorchFunctionMode):
    """Does indexing and `~` by dispatched operations: torch's own ways ask for a CUDA build."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is Tensor.__getitem__:
            view, places = _looked_up(*args)
            return torch.ops.aten.index.Tensor(view, places) if _any(places) else view
        if func is Tensor.__setitem__:
            view, places = _looked_up(*args[:2])
            if _any(places):
                return torch.ops.aten.index_put_.default(view, places, args[2])
            return torch.ops.aten.copy_.default(view, args[2])
        func = torch.bitwise_not if func is Tensor.__invert__ else func
        return func(*args, **(kwargs or {}))


def _any(places: list[Tensor | None]) -> bool:
    return any(place is not None for place in places)


def _looked_up(values: Tensor, index: object) -> tuple[Tensor, list[Tensor | None]]:
    """The view that ints, slices and None make, and the tensors that index its dimensions."""
    places: list[Tensor | None] = []
    for part in _spelt_out(values, index):
        dim = len(places)
        if isinstance(part, int):
            values = values.select(dim, part)
            continue
        if part is None:
            values = values.unsqueeze(dim)
        elif isinstance(part, slice):
            values = torch.ops.aten.slice.Tensor(values, dim, part.start, part.stop, part.step or 1)
        places.append(part if isinstance(part, Tensor) else None)
    return values, places


def _spelt_out(values: Tensor, index: object) -> list:
    """The index as a list, its Ellipsis as whole dimensions."""
    parts = list(index) if isinstance(index, tuple) else [index]
    wholes = [i for i, part in enumerate(parts) if part is Ellipsis]
    for i in wholes:
        used = sum(part is not None for part in parts) - 1
        parts[i : i + 1] = [slice(None)] * (values.dim() - used)
    return parts
