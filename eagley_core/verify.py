"""Which nodes the target accepts. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eagley_core.judge import Ruling
from eagley_core.trace import CacheRun


class Verdict(NamedTuple):
    """The accepted path and the target's own token after it."""

    path: tuple[int, ...]  # rows from the root's child down; row 0 is the root
    bonus_id: int
    rulings: Mapping[int, Ruling] | None = None  # by tested row; None: matched with its own tokens
    provenances: tuple[CacheRun, ...] = ()  # of accepted rows that are not the text's own


def accept_exact(
    tokens: Sequence[int],
    parents: Sequence[int],
    choices: Sequence[int],
    taken: Sequence[int] = (),
) -> Verdict:
    """Follow the target's own tokens down the tree until it leaves it (sample-then-match).

    tokens, parents, choices: one per row; choices[i] is the target's token after row i.
    taken: rows, from the root's child down, that are accepted beforehand.
    """
    children = {(parents[row], tokens[row]): row for row in reversed(range(1, len(tokens)))}
    path = list(taken)
    row = path[-1] if path else 0
    while (child := children.get((row, choices[row]))) is not None:
        path.append(child)
        row = child
    return Verdict(tuple(path), choices[row])
