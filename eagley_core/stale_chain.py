"""A rejected branch that is tried again: which one, and what is kept of it between two steps."""

from typing import NamedTuple

from torch import Tensor

from eagley_core.cache import KVRows
from eagley_core.steps import Rows
from eagley_core.trace import Origin
from eagley_core.verify import Verdict, accept_exact

MAX_BYTES = 16 * 2**20  # of the rows kept between two steps


class Moment(NamedTuple):
    """The step that ends."""

    step: int
    turn: int
    room: int  # tokens that the context still holds


class Chain(NamedTuple):
    """Tokens taken on stale verdicts, m of them. The last has no row yet: it is run next."""

    tokens: tuple[int, ...]
    origins: tuple[Origin, ...]  # the row of each; for the last, the row that predicts it
    kv: KVRows  # of all but the last
    hidden: Tensor  # [m - 1, H] of the same rows
    features: Tensor  # [m, S, H] of the rejected token's row, then of the same rows

    @property
    def bytes(self) -> int:
        return sum(part.nbytes for part in (*self.kv.values(), self.hidden, self.features))


def stale_path(rows: Rows, verdict: Verdict) -> tuple[int, ...]:
    """Rows of a rejected branch that goes on under the target's own predictions in it.

    The first row is a rejected sibling of the correction token; of several, the one whose branch
    goes on longest, the older first. Empty where no branch goes on.
    """
    last = verdict.path[-1] if verdict.path else 0
    rejected = (row for row in range(1, len(rows.tokens)) if rows.parents[row] == last)
    branches = (accept_exact(*rows[:3], taken=(row,)).path for row in rejected)
    longest = max(branches, key=len, default=())
    return longest if len(longest) > 1 else ()
