"""The target's passes in two parts: its first l layers, and the others.

Transformers' own loop over the layers runs both, with the layers that are left out replaced by a
gate that takes or gives the hidden states between the two parts.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from eagley_core.cache import KVCache
from eagley_core.target import Pass, Target
from eagley_core.tree import Tree


class SplitTarget:
    """Two passes that give the rows of one: `lower`, then `upper` on what `lower` returned.

    Raises ValueError unless both parts have a layer.
    """

    def __init__(self, target: Target, exit_layer: int) -> None:
        if not 0 < exit_layer < len(target.layers):
            raise ValueError(
                f"layer {exit_layer} to exit at: {target.name} has {len(target.layers)} layers"
            )
        self.target, self.exit_layer = target, exit_layer
        self._gate = _Gate(target.layers[0])
        self._lower = nn.ModuleList([*target.layers[:exit_layer], self._gate])
        self._upper = nn.ModuleList([self._gate, *target.layers[exit_layer:]])

    def lower(
        self, tokens: Tensor, depths: Tensor, mask: Tensor, cache: KVCache, invariant: bool
    ) -> Tensor:
        """Run N rows through the first l layers: their states [N, H]. Arguments as Target.run."""
        with self._only(self._lower):
            self.target.run(tokens, depths, mask, cache, invariant)
        return self._gate.taken[0, : len(tokens)]

    def upper(self, hidden: Tensor, tree: Tree, cache: KVCache, invariant: bool) -> Pass:
        """Run the rows of a tree through the other layers from their states [N, H]."""
        self._gate.given = hidden
        try:
            with self._only(self._upper):
                return self.target.run(tree.tokens, tree.depths, tree.mask, cache, invariant)
        finally:
            self._gate.given = None

    @contextmanager
    def _only(self, layers: nn.ModuleList) -> Iterator[None]:
        self.target.decoder.layers = layers
        try:
            yield
        finally:
            self.target.decoder.layers = self.target.layers

    def move(self, cache: KVCache, order: Sequence[int]) -> None:
        """Put the first l layers' uncommitted rows into this order, counted from the first."""
        start = cache.length
        stop = start + len(order)
        for layer in cache.layers[: self.exit_layer]:
            kept = [start + row for row in order]
            layer.keys[:, start:stop] = layer.keys[:, kept]
            layer.values[:, start:stop] = layer.values[:, kept]


class _Gate(nn.Module):
    """Stands where layers are left out: takes their input, or gives their output."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.attention_type = getattr(layer, "attention_type", "full_attention")
        self.taken: Tensor | None = None
        self.given: Tensor | None = None

    def forward(self, hidden: Tensor, *args: object, **options: object) -> Tensor:
        self.taken = hidden
        if self.given is None:
            return hidden
        padding = hidden[:, len(self.given) :]
        return torch.cat([self.given[None].to(hidden.device), padding], dim=1)
