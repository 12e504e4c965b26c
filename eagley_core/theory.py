"""Speed-ups as formulas have them. Pure; times in seconds, of one step unless said otherwise.

The seed's are of its section 3.3. Its alpha k is the number of draft tokens accepted in a step; the
target's own token after them, which it leaves out, makes that alpha k + 1.
"""

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
