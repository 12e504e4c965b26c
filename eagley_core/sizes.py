"""How much a pass has to read: the weights of a model or of a draft."""

from collections.abc import Iterable
from typing import NamedTuple

from torch import nn

from eagley_core.packing import PackedLinear


class Size(NamedTuple):
    """Weights that a pass multiplies with; an embedding table is looked up, and not counted."""

    parameters: int
    bytes: int


def size_of(modules: Iterable[nn.Module]) -> Size:
    """Everything below these modules, each of them counted once."""
    found = {id(child): child for module in modules for child in module.modules()}
    parts = [_own(child) for child in found.values() if not isinstance(child, nn.Embedding)]
    return Size(sum(part.parameters for part in parts), sum(part.bytes for part in parts))


def _own(module: nn.Module) -> Size:
    if isinstance(module, PackedLinear):
        count = module.in_features * module.out_features
        return Size(count, count * module.packed.element_size())
    weights = [*module.parameters(recurse=False)]
    return Size(sum(w.numel() for w in weights), sum(w.nbytes for w in weights))
