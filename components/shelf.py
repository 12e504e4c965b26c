"""The comparisons that visitors made, kept for a while under names that nobody can guess."""

import secrets
from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from components.selection import Comparison

MOST = 64  # comparisons
MOST_NODES = 400_000  # of all their trees together: about 1 KiB each
OWN = "own-"  # begins their keys


class Shelf:
    """Shared by all visitors; a comparison is found only by who was given its key.

    When it is full, the one that was looked at longest ago goes first.
    """

    def __init__(self, most: int = MOST, most_nodes: int = MOST_NODES) -> None:
        self._most, self._most_nodes = most, most_nodes
        self._kept: OrderedDict[str, Comparison] = OrderedDict()
        self._lock = Lock()

    def put(self, comparison: Comparison) -> Comparison:
        """The comparison with its new key."""
        named = replace(comparison, key=f"{OWN}{secrets.token_urlsafe(12)}")
        with self._lock:
            self._kept[named.key] = named
            while len(self._kept) > 1 and self._is_over():
                self._kept.popitem(last=False)
        return named

    def get(self, key: str) -> Comparison | None:
        """None when it is no longer kept, or never was."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _is_over(self) -> bool:
        nodes = sum(map(_nodes, self._kept.values()))
        return len(self._kept) > self._most or nodes > self._most_nodes


def _nodes(comparison: Comparison) -> int:
    return sum(len(step.nodes) for trace in comparison.traces for step in trace.steps)
