"""EAGLEY's store, channel R1 (`recycled`).

Every verified row, of rejected nodes too, comes with the target's own best next tokens. They are
kept under the row's context (its last two tokens, and its last token) and proposed again wherever
that context returns. After Token Recycling (Luo et al., 2408.08696), which keeps one token of
context and no probabilities.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from eagley_core.trace import Origin

WIDTH = 6  # next tokens kept per context
MAX_CONTEXTS = 8192
BYTES_PER_ENTRY = 8 + WIDTH * (4 + 4) + 9  # two ids, ids and probabilities, origin


class Entry(NamedTuple):
    """What the target predicted after one row."""

    tokens: Sequence[int]
    probabilities: Sequence[float]
    origin: Origin


class Found(NamedTuple):
    """An entry and how many tokens of context it was found by."""

    entry: Entry
    order: int


class Store:
    """The target's predictions by context, newest first; bounded, the oldest are forgotten."""

    def __init__(self, max_contexts: int = MAX_CONTEXTS) -> None:
        self._max_contexts = max_contexts
        self._by_context: dict[tuple[int, ...], Entry] = {}

    def add(self, contexts: Iterable[tuple[int, int]], entries: Iterable[Entry]) -> None:
        """Keep one entry per verified row; contexts are (token before, token)."""
        for (before, token), entry in zip(contexts, entries, strict=True):
            self._put((before, token), entry)
            self._put((token,), entry)

    def _put(self, context: tuple[int, ...], entry: Entry) -> None:
        self._by_context.pop(context, None)
        self._by_context[context] = entry
        if len(self._by_context) > self._max_contexts:
            self._by_context.pop(next(iter(self._by_context)))

    def find(self, before: int, token: int) -> Found | None:
        """The entry of the longest known context."""
        for context in ((before, token), (token,)):
            entry = self._by_context.get(context)
            if entry is not None:
                return Found(entry, len(context))
        return None

    @property
    def bytes(self) -> int:
        """Size of the stored figures."""
        return len(self._by_context) * BYTES_PER_ENTRY
