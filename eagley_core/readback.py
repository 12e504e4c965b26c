"""A verified pass on the host: packed on the device into one matrix, read in one piece."""

from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.proposers import Proposal
from eagley_core.sampling import likely_tokens
from eagley_core.standing import WIDTH as WEIGHED
from eagley_core.standing import Weighed, weighed
from eagley_core.steps import Rows
from eagley_core.store import WIDTH, Likeliest
from eagley_core.verify import Verdict


class Verified(NamedTuple):
    """One pass as the host sees it."""

    rows: Rows
    likeliest: list[Likeliest]  # the target's best next tokens after each row; empty if unasked
    weighed: Weighed | None  # for every rule but exact
    verdict: Verdict | None = None  # where reading the pass has decided it: the seed's loop


def read_verified(
    proposal: Proposal, picked: Tensor, logits: Tensor | None, scales: Tensor | None = None
) -> Verified:
    """Read a pass. picked: [N] the target's own tokens; logits [N, V] where its best are wanted;
    scales: what `weigh` made, where the rule needs it.
    """
    figures = torch.stack([proposal.log_q, proposal.scores], dim=1).double()
    figures = torch.cat([figures.new_full((1, 2), torch.nan), figures])  # the root has none
    ids = torch.stack([proposal.tree.tokens, proposal.tree.parents, picked], dim=1)
    parts = [ids.double(), figures] + ([] if scales is None else [scales])
    if logits is not None:
        parts.append(likeliest(logits))
    table = host.read(torch.cat(parts, dim=1))
    tokens, parents, choices = ([int(row[i]) for row in table] for i in range(3))
    log_q, scores = ([_or_none(row[i]) for row in table[1:]] for i in (3, 4))
    start = 5 if scales is None else 5 + WEIGHED
    best = [] if logits is None else [split(row[start:]) for row in table]
    judged = None if scales is None else weighed([row[5:start] for row in table])
    return Verified(Rows(tokens, parents, choices, log_q, scores), best, judged)


def likeliest(logits: Tensor) -> Tensor:
    """The target's WIDTH best next tokens, then their raw probabilities: [N, 2 * WIDTH]."""
    found = likely_tokens(logits.float(), min(WIDTH, logits.shape[1]))
    return torch.cat([column.double() for column in found], dim=1)


def split(row: list[float]) -> Likeliest:
    """One row of `likeliest`, read to the host."""
    half = len(row) // 2
    return Likeliest(tuple(int(x) for x in row[:half]), tuple(row[half:]))


def _or_none(number: float) -> float | None:
    return None if number != number else number
