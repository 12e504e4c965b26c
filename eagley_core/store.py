"""EAGLEY's store, channel R1 (`recycled`).

Every verified row, of rejected nodes too, comes with the target's own best next tokens, and a
committed row with the token that was committed after it, its follower. They are kept under the
row's contexts (its last LONGEST tokens, and every shorter one) and proposed again wherever one
returns, the longest first. After Token Recycling (Luo et al., 2408.08696), which keeps one token
of context and no probabilities, and prompt-lookup decoding (Saxena, 2023), which keeps followers.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eagley_core.steps import Rows
from eagley_core.trace import Origin

LONGEST = 4  # tokens of context
WIDTH = 3  # next tokens kept per context
MAX_CONTEXTS = 16384
BYTES_PER_ENTRY = 4 * LONGEST + WIDTH * (4 + 4) + 9 + 4 + 9  # context, predictions, follower


class Likeliest(NamedTuple):
    """The target's best next tokens after one row, likeliest first, with raw probabilities.

    See `likely_tokens`.
    """

    tokens: tuple[int, ...]
    probabilities: tuple[float, ...]


class Follower(NamedTuple):
    """What was committed after a context when it last stood in the text, and which row that was."""

    token: int
    origin: Origin


class Entry(NamedTuple):
    """What the target predicted after the newest row of a context, and which row that was."""

    likeliest: Likeliest
    origin: Origin
    follower: Follower | None  # None: the context stood in rejected branches only

    @property
    def tokens(self) -> set[int]:
        """Every next token that it names."""
        return {*self.likeliest.tokens, *([self.follower.token] if self.follower else ())}


class Kept(NamedTuple):
    """The step that rows are kept from."""

    step: int
    before: Sequence[int]  # the committed tokens before the root, the newest last
    path: tuple[int, ...]  # the accepted rows; the root is row 0
    bonus_id: int  # what was committed after them


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

    def keep_prompt(
        self, prompt_ids: Sequence[int], likeliest: Sequence[Likeliest], bonus_id: int
    ) -> None:
        """Keep what the target predicts after every prompt token but the first.

        likeliest: of the last tokens; those before them were kept in an earlier turn.
        bonus_id: what was committed after the prompt.
        """
        if self.part == "rejected":
            return
        n_before = len(prompt_ids) - len(likeliest)
        for position in range(max(1, n_before), len(prompt_ids)):
            context = tuple(prompt_ids[max(0, position + 1 - LONGEST) : position + 1])
            origin = Origin(0, position, False, self.turn)
            follower = Follower([*prompt_ids[position + 1 : position + 2], bonus_id][0], origin)
            self._keep(context, Entry(likeliest[position - n_before], origin, follower))

    def keep_step(self, kept: Kept, rows: Rows, likeliest: Sequence[Likeliest]) -> None:
        """Keep what the target predicts after every verified row, rejected ones too."""
        committed = [*(rows.tokens[row] for row in kept.path), kept.bonus_id]
        followers = dict(zip((0, *kept.path), committed, strict=True))
        contexts: list[tuple[int, ...]] = []
        for row, token in enumerate(rows.tokens):
            before = contexts[rows.parents[row]] if row else tuple(kept.before)
            contexts.append((*before, token)[-LONGEST:])
            origin = Origin(kept.step, row - 1, row not in followers, self.turn)
            if self.part and origin.rejected != (self.part == "rejected"):
                continue
            follower = Follower(followers[row], origin) if row in followers else None
            self._keep(contexts[row], Entry(likeliest[row], origin, follower))

    def _keep(self, context: tuple[int, ...], entry: Entry) -> None:
        for start in range(len(context)):
            self._put(context[start:], entry)

    def _put(self, context: tuple[int, ...], entry: Entry) -> None:
        older = self._by_context.pop(context, None)
        if entry.follower is None and older is not None:
            entry = entry._replace(follower=older.follower)
        self._by_context[context] = entry
        if len(self._by_context) > self._max_contexts:
            self._by_context.pop(next(iter(self._by_context)))

    def find(self, context: Sequence[int]) -> Found | None:
        """The entry of the longest known context that `context` ends with."""
        newest = tuple(context[-LONGEST:])
        for start in range(len(newest)):
            entry = self._by_context.get(newest[start:])
            if entry is not None:
                return Found(entry, len(newest) - start)
        return None

    @property
    def bytes(self) -> int:
        """Size of the stored figures."""
        return len(self._by_context) * BYTES_PER_ENTRY
