"""The seed's own loop (its sections 3.2 and 4.1), as it is written, made to run.

A chain of draft tokens is verified in one pass. Each token in turn is tried after the last accepted
one: it passes where the target's probability of it there reaches the threshold. One that fails is
skipped, and the next is tried at the same place. Nothing is computed again: the row of a token
after a skipped one was computed with that one in its context, one position too far, and stays so
in the cache ("skip the token but keep the context"). So this is approximate, and lasting: later
tokens read such rows.

What the seed leaves open: when nothing passes, and also after the last that passes, the target's
own token is added (the seed adds none, and could stand still for ever).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.judge import Ruling
from eagley_core.proposers import Proposal
from eagley_core.readback import Verified, read_verified
from eagley_core.trace import CacheRun
from eagley_core.verify import Verdict


class Literal(NamedTuple):
    """What became of a chain of rows, row 0 being the root."""

    path: tuple[int, ...]  # the accepted rows
    parents: tuple[int, ...]  # the row after which each was tried; 0 for the root itself
    compared: tuple[float, ...]  # the target's probability there, of row 1 and on

    @property
    def stale(self) -> int:
        """Accepted rows that were computed behind a skipped token: the path's last."""
        return sum(row != place for place, row in enumerate(self.path, start=1))

    def rulings(self, threshold: float) -> dict[int, Ruling]:
        tried = enumerate(self.compared, start=1)
        return {row: Ruling(chance, threshold, row in self.path) for row, chance in tried}


def chances(scores: Tensor, tokens: Tensor) -> Tensor:
    """The target's probability of every row's token after every row, [N, N].

    scores: [N, V] processed logits; at temperature 0 those are raw.
    """
    return scores.softmax(-1)[:, tokens]


def choices_at(scores: Tensor, noise: Tensor | None) -> Tensor:
    """The target's own token after each row, were it n tokens behind the root: [N rows, N of n].

    noise: [N, V] of the positions behind the root, or None. A skipped token moves what follows
    one position closer, so the noise of a row is known only when its place is.
    """
    if noise is None:
        return scores.argmax(-1, keepdim=True).expand(-1, len(scores))
    return torch.stack([(scores + row).argmax(-1) for row in noise], dim=1)


def follow_literally(chances: Sequence[Sequence[float]], threshold: float) -> Literal:
    """Try each row of the chain after the last accepted one."""
    place, path, parents, compared = 0, [], [0], []
    for row in range(1, len(chances)):
        parents.append(place)
        compared.append(chances[place][row])
        if compared[-1] >= threshold:
            path.append(row)
            place = row
    return Literal(tuple(path), tuple(parents), tuple(compared))


def read_literally(
    proposal: Proposal, scores: Tensor, noise: Tensor | None, place: tuple[float, int]
) -> Verified:
    """A chain's pass on the host, decided; each node's parent is the row after which it was tried.

    scores: [N, V]; noise: [N, V] of the positions behind the root; place: the threshold, and the
    root's position.
    """
    threshold, position = place
    verified = read_verified(proposal, scores.argmax(-1), None)
    parts = [chances(scores, proposal.tree.tokens), choices_at(scores, noise)]
    table = host.read(torch.cat([part.double() for part in parts], dim=1))
    found = follow_literally([row[: len(table)] for row in table], threshold)
    rows = verified.rows._replace(parents=found.parents)
    own = [int(row[len(table) + depth]) for row, depth in zip(table, rows.depths, strict=True)]
    stop = position + 1 + len(found.path)
    stale = (CacheRun(stop - found.stale, stop, "stale"),) if found.stale else ()
    after = own[found.path[-1] if found.path else 0]
    verdict = Verdict(found.path, after, found.rulings(threshold), stale)
    return verified._replace(rows=rows._replace(choices=own), verdict=verdict)
