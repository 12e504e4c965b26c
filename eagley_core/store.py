"""EAGLEY's store, channel R1 (`recycled`).

Every verified row, of rejected nodes too, comes with the target's own best next tokens, and a
committed row with the token that was committed after it, its follower. They are kept under the
row's contexts (see `contexts`) and proposed again wherever one returns, the longest first. After
Token Recycling (Luo et al., 2408.08696), which keeps one token of context and no probabilities, and
prompt-lookup decoding (Saxena, 2023), which keeps followers.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eagley_core.contexts import LONGEST, Tokens, contexts
from eagley_core.steps import Rows
from eagley_core.trace import Origin

WIDTH = 3  # next tokens kept per context
MAX_CONTEXTS = 32768
BYTES_PER_TOKEN = 4  # of a context
BYTES_PER_ENTRY = WIDTH * (4 + 4) + 9 + 4 + 9  # predictions and their row, follower and its row


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
        self._by_context: dict[Tokens, Entry] = {}
        self._context_tokens = 0
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
            text = prompt_ids[max(0, position + 1 - LONGEST) : position + 1]
            origin = Origin(0, position, False, self.turn)
            follower = Follower([*prompt_ids[position + 1 : position + 2], bonus_id][0], origin)
            self._keep(text, Entry(likeliest[position - n_before], origin, follower))

    def keep_step(self, kept: Kept, rows: Rows, likeliest: Sequence[Likeliest]) -> None:
        """Keep what the target predicts after every verified row, rejected ones too."""
        committed = [*(rows.tokens[row] for row in kept.path), kept.bonus_id]
        followers = dict(zip((0, *kept.path), committed, strict=True))
        texts: list[Tokens] = []
        for row, token in enumerate(rows.tokens):
            before = texts[rows.parents[row]] if row else tuple(kept.before)
            texts.append((*before, token)[-LONGEST:])
            origin = Origin(kept.step, row - 1, row not in followers, self.turn)
            if self.part and origin.rejected != (self.part == "rejected"):
                continue
            follower = Follower(followers[row], origin) if row in followers else None
            self._keep(texts[row], Entry(likeliest[row], origin, follower))

    def _keep(self, text: Sequence[int], entry: Entry) -> None:
        for context in contexts(text):
            self._put(context, entry)

    def _put(self, context: Tokens, entry: Entry) -> None:
        older = self._by_context.pop(context, None)
        if older is None:
            self._context_tokens += len(context)
        elif entry.follower is None:
            entry = entry._replace(follower=older.follower)
        self._by_context[context] = entry
        if len(self._by_context) > self._max_contexts:
            oldest = next(iter(self._by_context))
            self._by_context.pop(oldest)
            self._context_tokens -= len(oldest)

    def find(self, text: Sequence[int]) -> Found | None:
        """The entry of the longest known context that `text` ends with."""
        for context in contexts(text):
            entry = self._by_context.get(context)
            if entry is not None:
                return Found(entry, len(context))
        return None

    @property
    def bytes(self) -> int:
        """Size of the stored figures."""
        entries = len(self._by_context) * BYTES_PER_ENTRY
        return entries + self._context_tokens * BYTES_PER_TOKEN
