"""EAGLEY's store, channel R1 (`recycled`).

Every verified row, of rejected nodes too, comes with the target's own best next tokens. They are
kept under the row's context (its last two tokens, and its last token) and proposed again wherever
that context returns. After Token Recycling (Luo et al., 2408.08696), which keeps one token of
context and no probabilities.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eagley_core.steps import Rows
from eagley_core.trace import Origin

WIDTH = 6  # next tokens kept per context
MAX_CONTEXTS = 8192
BYTES_PER_ENTRY = 8 + WIDTH * (4 + 4) + 9  # two ids, ids and probabilities, origin


class Likeliest(NamedTuple):
    """The target's best next tokens after one row, likeliest first, with raw probabilities."""

    tokens: tuple[int, ...]
    probabilities: tuple[float, ...]


class Entry(NamedTuple):
    """What the target predicted after one row, and which row that was."""

    likeliest: Likeliest
    origin: Origin


class Kept(NamedTuple):
    """The step that rows are kept from."""

    step: int
    before: int  # the committed token before the root
    path: tuple[int, ...]  # the accepted rows; the root is row 0


class Found(NamedTuple):
    """An entry and how many tokens of context it was found by."""

    entry: Entry
    order: int


class Store:
    """The target's predictions by context, newest first; bounded, the oldest are forgotten."""

    def __init__(self, max_contexts: int = MAX_CONTEXTS) -> None:
        self._max_contexts = max_contexts
        self.part = ""  # of the verified rows: `accepted` (and the prompt), `rejected`, or all
        self._by_context: dict[tuple[int, ...], Entry] = {}
        self.turn = 0  # which run of the conversation is kept from

    def keep_prompt(self, prompt_ids: Sequence[int], likeliest: Sequence[Likeliest]) -> None:
        """Keep what the target predicts after every prompt token but the first.

        likeliest: of the last tokens; those before them were kept in an earlier turn.
        """
        if self.part == "rejected":
            return
        n_before = len(prompt_ids) - len(likeliest)
        for position in range(max(1, n_before), len(prompt_ids)):
            context = (prompt_ids[position - 1], prompt_ids[position])
            origin = Origin(0, position, False, self.turn)
            self._keep(context, Entry(likeliest[position - n_before], origin))

    def keep_step(self, kept: Kept, rows: Rows, likeliest: Sequence[Likeliest]) -> None:
        """Keep what the target predicts after every verified row, rejected ones too."""
        accepted = {0, *kept.path}
        for row, token in enumerate(rows.tokens):
            before = rows.tokens[rows.parents[row]] if row else kept.before
            origin = Origin(kept.step, row - 1, row not in accepted, self.turn)
            if self.part and origin.rejected != (self.part == "rejected"):
                continue
            self._keep((before, token), Entry(likeliest[row], origin))

    def _keep(self, context: tuple[int, int], entry: Entry) -> None:
        self._put(context, entry)
        self._put(context[1:], entry)

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
