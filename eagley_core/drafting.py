"""What the engine asks of any draft, and what a draft answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.sampling import top_tokens
from eagley_core.sizes import Size


class Children(NamedTuple):
    """The draft's best next tokens after each of N rows."""

    tokens: Tensor  # [N, k] the target's ids, likeliest first
    log_probs: Tensor  # [N, k] log q
    hidden: Tensor  # [N, H] what the draft needs to go on from these rows


class DraftRows(NamedTuple):
    """One level of the tree as the draft's input: N nodes, and what they may look at."""

    hidden: Tensor  # [N, H] the draft's output at each node's parent
    tokens: Tensor  # [N]
    positions: Tensor  # [N] rotary positions: the draft's `length` for children of the root
    mask: Tensor  # [N, M] bool over all tree rows run so far, these N included


class DraftStart(NamedTuple):
    """What a draft has to know of a run before it begins."""

    capacity: int  # rows that it will hold at once, those of a tree included
    temperature: float  # q is the draft's distribution at this temperature (at 1 for 0)
    first_id: int  # the prompt's first token, the only one that is never fed
    invariant: bool  # the numerics of the run's passes
    cache: KVCache  # the target's own


class Draft(Protocol):
    """A draft at work, one run at a time: `start`, then in every step `feed` and some `extend`."""

    name: str
    state_ids: tuple[int, ...]  # the target's states that `feed` reads; see Target.capture
    size: Size  # of what one of its passes reads, the target's own weights included

    def start(self, run: DraftStart) -> None:
        """Forget the last run."""

    @property
    def length(self) -> int:
        """The rotary position of the root's children."""

    def feed(self, features: Tensor, next_ids: Sequence[int], k: int) -> Children:
        """Take what was committed: features [N, S, Ht] of N tokens, and the token after each.

        Returns the k best children of the last of them, the root.
        """

    def extend(self, rows: DraftRows, k: int) -> Children:
        """Run one level of the tree behind the levels before it."""


def best_children(
    logits: Tensor, hidden: Tensor, k: int, temperature: float, target_ids: Tensor | None = None
) -> Children:
    """The k likeliest tokens of logits [N, V]; target_ids [V]: the target's id of each column."""
    logits = logits.float() / temperature
    best, ids = top_tokens(logits, min(k, logits.shape[1]))
    log_probs = best - logits.logsumexp(-1, keepdim=True)
    return Children(ids if target_ids is None else target_ids[ids], log_probs, hidden)
