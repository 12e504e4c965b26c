"""What each acceptance rule says of one node. Pure, and without torch.

A node of these trees is never a sample of the draft: it was among its k likeliest, or comes from a
store. So its proposal is a point mass, and `speculative` and `lenience` take q = 1 for it and, once
it is rejected, zero its token and renormalise what is left (as EAGLE does). Dividing by a q that
it was not drawn from would accept too often. A mode that samples its nodes from q is not needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

from eagley_core.rule import Rule

BY_AGE = ("exact", "seed-literal")  # how siblings are tested; the others by draft probability
RESAMPLING = ("speculative", "lenience")  # rejected tokens are zeroed, the rest renormalised


@dataclass(frozen=True, slots=True)
class Standing:
    """How a token stands in the distribution that its rule judges by, after its parent.

    At temperature 0 that is the softmax of the logits (a penalty included), else the processed
    distribution. None: not looked at by the run's rule.
    """

    p: float
    best: float  # the largest p of all tokens there
    rank: int | None  # 0: the likeliest; the lower id first among equals
    entropy: float | None  # nats


class Case(NamedTuple):
    """One node before its rule. `q` is 1 where the draft did not score it."""

    is_own: bool  # the target's own token there is this one
    standing: Standing
    q: float
    draw: float  # uniform in (0, 1) from the node's own key


class Ruling(NamedTuple):
    """What was compared with what, and whether the node passes."""

    compared: float
    threshold: float
    passes: bool


class Judge(NamedTuple):
    """A rule at one temperature. `greedy`: temperature 0."""

    rule: Rule
    greedy: bool

    @property
    def leaves_rest(self) -> bool:
        """Whether the token after rejected nodes is none of theirs: they had their chance."""
        return self.rule.name == "exact" or self.rule.name in RESAMPLING

    def ruling(self, case: Case, rest: float = 1.0) -> Ruling:
        """Test one node. rest: the probability that its rejected older siblings left over.

        A token that the logits processors exclude (p = 0) passes no rule.
        """
        compared, threshold = _TESTS[self.rule.name](self, case, rest)
        if self.rule.name == "top-k":
            return Ruling(compared, threshold, compared <= threshold and case.standing.p > 0)
        return Ruling(compared, threshold, compared >= threshold and case.standing.p > 0)

    def chance(self, case: Case, rest: float = 1.0) -> float:
        """The probability, over the draw (and for `exact` over the noise), that the node passes."""
        if self.rule.name == "seed-ratio":
            ratio, threshold = _seed_ratio(case), self.rule.numbers[0]
            return max(0.0, 1 - threshold / ratio) if ratio else 0.0
        if self.leaves_rest and not self.greedy:
            return _share(case, self._lenience * rest)
        return float(self.ruling(case, rest).passes)

    @property
    def _lenience(self) -> float:
        return self.rule.numbers[0] if self.rule.name == "lenience" else 1.0


def _share(case: Case, of: float) -> float:
    """min(1, p / of), and 0 for a token that is excluded."""
    p = case.standing.p
    return float(p > 0) if p >= of else p / of


def _exact(judge: Judge, case: Case, rest: float) -> tuple[float, float]:
    """The target's own token."""
    return float(case.is_own), 1.0


def _speculative(judge: Judge, case: Case, rest: float) -> tuple[float, float]:
    """Leviathan et al. (2211.17192), section 2.3, with q = 1; at temperature 0 p is one-hot."""
    return _exact(judge, case, rest) if judge.greedy else (_share(case, rest), case.draw)


def _lenience(judge: Judge, case: Case, rest: float) -> tuple[float, float]:
    """Leviathan et al., appendix A.5, with q = 1. At temperature 0: p >= l * max p.

    (The paper prints that with <=, which would accept all but the likeliest tokens.)
    """
    (lenience,) = judge.rule.numbers
    if judge.greedy:
        p = case.standing.best if case.is_own else case.standing.p
        return p, lenience * case.standing.best
    return _share(case, lenience * rest), case.draw


def _seed_ratio(case: Case) -> float:
    return _share(case, case.q)


_TESTS: Mapping[str, Callable[[Judge, Case, float], tuple[float, float]]] = {
    "exact": _exact,
    "speculative": _speculative,
    "lenience": _lenience,
    "seed-ratio": lambda judge, case, rest: (case.draw * _seed_ratio(case), judge.rule.numbers[0]),
    "seed-threshold": lambda judge, case, rest: (case.standing.p, judge.rule.numbers[0]),
    # The seed's loop compares alike; a node hangs where it was tried. See `seed_literal`.
    "seed-literal": lambda judge, case, rest: (case.standing.p, judge.rule.numbers[0]),
    "top-k": lambda judge, case, rest: (case.standing.rank + 1.0, judge.rule.numbers[0]),
    "typical": lambda judge, case, rest: (case.standing.p, _typical(judge, case)),
}


def _typical(judge: Judge, case: Case) -> float:
    """Medusa's threshold (Cai et al., 2401.10774): min(eps, delta * exp(-H))."""
    epsilon, delta = judge.rule.numbers
    return min(epsilon, delta * exp(-case.standing.entropy))


class Walk(NamedTuple):
    """The accepted path, and the ruling on every tested node."""

    path: tuple[int, ...]
    rulings: dict[int, Ruling]


Children = Mapping[int, Sequence[int]]
"""The children of a node (or the root), in the order in which they are tested."""


def sibling_order(rule: Rule, nodes: Sequence[tuple[int, int, float | None]]) -> Children:
    """Siblings by falling draft probability, unscored ones last, older first among equals.

    nodes: (node, parent, q), oldest first. Under `exact` one sibling at most can pass: by age.
    """
    children: dict[int, list[int]] = {}
    by_q = nodes if rule.name in BY_AGE else sorted(nodes, key=lambda node: -(node[2] or 0.0))
    for node, parent, _ in by_q:
        children.setdefault(parent, []).append(node)
    return children


def follow(judge: Judge, root: int, children: Children, case_of: Callable[[int], Case]) -> Walk:
    """Test the root's children, then those of every accepted node, until none passes."""
    path: list[int] = []
    rulings: dict[int, Ruling] = {}
    node: int | None = root
    while node is not None:
        found = _siblings_tested(judge, children.get(node, ()), case_of)
        rulings |= found
        node = next((child for child, ruling in found.items() if ruling.passes), None)
        if node is not None:
            path.append(node)
    return Walk(tuple(path), rulings)


def _siblings_tested(
    judge: Judge, siblings: Sequence[int], case_of: Callable[[int], Case]
) -> dict[int, Ruling]:
    rulings: dict[int, Ruling] = {}
    rest = 1.0
    for node in siblings:
        case = case_of(node)
        rulings[node] = judge.ruling(case, rest)
        if rulings[node].passes:
            break
        rest -= case.standing.p
    return rulings
