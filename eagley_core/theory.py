"""Speed-ups as formulas have them. Pure; times in seconds, of one step unless said otherwise.

The seed's are of its section 3.3. Its alpha k is the number of draft tokens accepted in a step; the
target's own token after them, which it leaves out, makes that alpha k + 1.
"""

from math import comb, log
from typing import NamedTuple


class Step(NamedTuple):
    """What one step of speculative decoding takes and brings, on average."""

    alpha: float  # acceptance rate
    accepted: float  # alpha k: draft tokens accepted
    single: float  # T_single: one token of vanilla decoding
    draft: float  # T_draft
    verify: float  # T_verify


class Speedup(NamedTuple):
    """A speed-up over vanilla with either numerator."""

    drafted: float  # alpha k, as the seed writes it
    with_bonus: float  # alpha k + 1: what a step really commits


def tokens(step: Step) -> Speedup:
    """The two numerators."""
    return Speedup(step.accepted, step.accepted + 1)


def seed_standard(step: Step) -> Speedup:
    """S = alpha k T_single / (T_draft + T_verify)."""
    return seed_eagley(step, 0.0)


def seed_eagley(step: Step, beta: float) -> Speedup:
    """The same, with T_verify shortened by reuse."""
    seconds = step.draft + seed_verify(step.verify, step.alpha, beta)
    return Speedup(*(count * step.single / seconds for count in tokens(step)))


def seed_verify(verify: float, alpha: float, beta: float) -> float:
    """T_verify (1 - beta (1 - alpha)). The seed expects a beta of 0.1 to 0.3."""
    return verify * (1 - beta * (1 - alpha))


def leviathan_tokens(alpha: float, k: float) -> float:
    """Expected tokens of a step with a chain of k: (1 - alpha^(k+1)) / (1 - alpha).

    Leviathan, Kalman, Matias (2211.17192), equation 1. alpha: chance that one token is accepted.
    """
    return k + 1 if alpha == 1 else (1 - alpha ** (k + 1)) / (1 - alpha)


def leviathan_speedup(alpha: float, k: float, c: float) -> float:
    """Theorem 3.8 of the same. c: one draft pass over one target pass; verifying costs one pass."""
    return leviathan_tokens(alpha, k) / (k * c + 1)


def sequoia_speedup(committed: float, pass_cost: float, depth: float, c: float) -> float:
    """G(n, d) / (t(n) + d c), Chen et al. (2402.12374), section 3.

    committed: G, tokens per step with its bonus; pass_cost: t(n), a pass of n rows over one of one
    row; depth: d draft passes of cost c each. With measured t(n) and d c it is the seed's standard
    formula with the bonus in its numerator.
    """
    return committed / (pass_cost + depth * c)


class Shape(NamedTuple):
    """What a tree of so many nodes is expected to commit, and how many draft passes it takes."""

    tokens: float  # with the bonus
    levels: int


def chains(alpha: float, most: int) -> list[Shape]:
    """A chain of 0, 1, … `most` nodes."""
    return [Shape(leviathan_tokens(alpha, k), k) for k in range(most + 1)]


def best_trees(alpha: float, most: int) -> list[Shape]:
    """The best tree of 0, 1, … `most` nodes, 0 < alpha < 1.

    Sequoia's positional acceptance (Chen et al., 2402.12374, section 3) with a geometric law: a
    node's j-th child, j from 0, is the target's token with probability alpha (1 - alpha)^j. A node
    of depth d whose path has ranks that sum to r is then reached with alpha^d (1 - alpha)^r, and
    there are C(d - 1 + r, r) such nodes. The best n nodes are a tree: no node beats its parent.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    found = [Shape(1.0, 0)]
    for depth, rank in _by_chance(alpha, most):
        for _ in range(min(comb(depth - 1 + rank, rank), most + 1 - len(found))):
            tokens, levels = found[-1]
            chance = alpha**depth * (1 - alpha) ** rank
            found.append(Shape(tokens + chance, max(levels, depth)))
    return found


def _by_chance(alpha: float, most: int) -> list[tuple[int, int]]:
    """Depths and rank sums, likeliest nodes first, shallower ones before others as likely."""
    places = [(depth, rank) for depth in range(1, most + 1) for rank in range(most)]
    steps = log(alpha), log(1 - alpha)
    return sorted(places, key=lambda at: (-round((at[0] * steps[0] + at[1] * steps[1]) * 1e9), at))


class Prices(NamedTuple):
    """Costs over that of a target pass of one row."""

    draft: float  # c: one draft pass
    row: float  # what each further row adds to the target's pass


def shape_speedup(shape: Shape, nodes: int, prices: Prices) -> float:
    """Sequoia's formula with a pass that grows with its rows."""
    return sequoia_speedup(shape.tokens, 1 + prices.row * nodes, shape.levels, prices.draft)


def seed_chain(alpha: float, k: int, prices: Prices, beta: float = 0.0) -> float:
    """The seed's S of a chain of k, as it writes it: alpha times k tokens, without the bonus."""
    step = Step(alpha, alpha * k, 1.0, prices.draft * k, 1 + prices.row * k)
    return seed_eagley(step, beta).drafted
