"""What acceptance rules need of a verified pass, computed on its device in one matrix."""

from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.judge import RESAMPLING, Standing
from eagley_core.rule import Rule
from eagley_core.tree import Tree


class Weighed(NamedTuple):
    """One pass on the host, a value per row; those of the root say nothing."""

    standings: list[Standing]
    leftovers: list[int | None]  # the token after a row whose children are all rejected


WIDTH = len(Standing.__slots__) + 1


def weigh(tree: Tree, scores: Tensor, noise: Tensor | None, rule: Rule) -> Tensor:
    """What `weighed` reads: [N, WIDTH]. scores: processed logits [N, V]; noise alike.

    What the rule does not look at is NaN.
    """
    figures = standings(tree, scores, rule.name == "top-k", rule.name == "typical")
    after = figures.new_full((len(figures),), torch.nan)
    if rule.name in RESAMPLING:
        after = leftovers(tree, scores if noise is None else scores + noise).double()
    return torch.cat([figures, after[:, None]], dim=1)


def weighed(rows: list[list[float]]) -> Weighed:
    """The matrix of `weigh`, read to the host."""
    return Weighed([standing(row) for row in rows], [_or_none(row[-1]) for row in rows])


def standing(row: list[float]) -> Standing:
    """One row of `standings`, read to the host."""
    p, best, rank, entropy = row[:4]
    return Standing(p, best, _or_none(rank), None if entropy != entropy else entropy)


def _or_none(number: float) -> int | None:
    return None if number != number else int(number)


def standings(tree: Tree, scores: Tensor, rank: bool = True, entropy: bool = True) -> Tensor:
    """Each row's token in the distribution after its parent: p, best, rank, entropy, [N, 4]."""
    log_p = scores.log_softmax(-1)
    tokens, nothing = tree.tokens[:, None], scores.new_full((len(scores),), torch.nan)
    own = log_p[tree.parents].gather(1, tokens)
    return torch.stack(
        [
            own[:, 0].exp(),
            log_p.amax(-1).exp()[tree.parents],
            ranks(log_p[tree.parents], tokens) if rank else nothing,
            entropies(log_p)[tree.parents] if entropy else nothing,
        ],
        dim=1,
    ).double()


def ranks(values: Tensor, tokens: Tensor) -> Tensor:
    """The rank of one token [N, 1] per row of values [N, V]; the lower id first among equals."""
    own = values.gather(1, tokens)
    ids = torch.arange(values.shape[1], device=values.device)
    return ((values > own) | ((values == own) & (ids < tokens))).sum(1)


def entropies(log_p: Tensor) -> Tensor:
    """In nats, per row."""
    return -(log_p.exp() * log_p).nansum(-1)


def leftovers(tree: Tree, noised: Tensor) -> Tensor:
    """The target's token after each row, its children's tokens left out, [N].

    With Gumbel noise in `noised` [N, V] that is an exact sample of what is left of the processed
    distribution. A row whose children hold all of it keeps the target's own token.
    """
    taken = (tree.parents[1:], tree.tokens[1:])
    left = noised.index_put(taken, noised.new_full((), -torch.inf))
    has_left = left.amax(-1) > -torch.inf
    return torch.where(has_left, left.argmax(-1), noised.argmax(-1))
