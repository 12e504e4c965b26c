"""The rule `speculative` is lossless in distribution, and the test would notice if it were not.

A tabulated target over six tokens; every sequence of three tokens is enumerated, and its count
over 100,000 runs compared with its probability (Pearson's chi-square, cells below 5 pooled).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np
import pytest

from eagley_core.judge import Case, Children, Judge, Ruling, Standing, follow, sibling_order
from eagley_core.rule import Rule

V, LENGTH, RUNS, SIBLINGS = 6, 3, 100_000, 4
QUANTILE = 4.75  # of the normal law: one false alarm in a million
Tokens = tuple[int, ...]
Law = Mapping[Tokens, list[float]]


def tabulated(seed: int, top_p: float = 1.0) -> Law:
    """A random distribution after every prefix, cut to its nucleus."""
    generator = np.random.default_rng(seed)
    prefixes = [prefix for n in range(LENGTH) for prefix in product(range(V), repeat=n)]
    return {prefix: _nucleus(generator.dirichlet([0.7] * V), top_p) for prefix in prefixes}


def _nucleus(p: np.ndarray, top_p: float) -> list[float]:
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    kept = np.where(before < top_p, p[order], 0.0)
    return np.bincount(order, kept / kept.sum(), V).tolist()


class Node(NamedTuple):
    parent: int
    token: int
    q: float


DRAFT = tabulated(99)


def drafted(width: int, depth: int, text: Tokens) -> list[Node]:
    """The `width` likeliest of the draft after every node, `depth` levels deep."""
    nodes: list[Node] = []
    front = [(-1, text)]
    for _ in range(min(depth, LENGTH - len(text))):
        grown = []
        for parent, path in front:
            for token in sorted(range(V), key=lambda t: -DRAFT[path][t])[:width]:
                grown.append((len(nodes), (*path, token)))
                nodes.append(Node(parent, token, DRAFT[path][token]))
        front = grown
    return nodes


def chain(text: Tokens, rejected: Tokens) -> list[Node]:
    return drafted(1, 3, text)


def tree(text: Tokens, rejected: Tokens) -> list[Node]:
    return drafted(2, 3, text)


def again(text: Tokens, rejected: Tokens) -> list[Node]:
    """One drafted node, and what the last step rejected with the q that it had."""
    nodes = drafted(1, 1, text)
    stored = [Node(-1, token, 0.6) for token in (*rejected, 0, 1) if token != nodes[0].token]
    return nodes + list(dict.fromkeys(stored))[: SIBLINGS - 1]


class StaleJudge(NamedTuple):
    """The error put in on purpose: a stored node is judged by the q it once was drawn with."""

    rule: Rule = Rule("speculative")

    def ruling(self, case: Case, rest: float) -> Ruling:
        ratio = min(1.0, case.standing.p / case.q)
        return Ruling(ratio, case.draw, ratio >= case.draw)


class Scheme(NamedTuple):
    """A target, its trees, who judges, and what a rejected node takes away."""

    law: Law
    grow: Callable[[Tokens, Tokens], list[Node]]
    judge: Judge | StaleJudge = Judge(Rule("speculative"), False)


class Plan(NamedTuple):
    """One step, as it is known before any draw."""

    children: Children
    paths: dict[int, Tokens]
    places: list[tuple[int, int]]  # each node's level and its number among its siblings
    cases: list[Case]
    tokens: list[int]


def plan(scheme: Scheme, text: Tokens, rejected: Tokens) -> Plan:
    nodes = scheme.grow(text, rejected)
    paths, places, cases = {-1: text}, [], []
    for index, (parent, token, q) in enumerate(nodes):
        above = paths[parent]
        paths[index] = (*above, token)
        places.append((len(above), sum(node.parent == parent for node in nodes[:index])))
        cases.append(Case(False, Standing(scheme.law[above][token], 1.0, 0, 0.0), q, 0.0))
    order = [(index, node.parent, node.q) for index, node in enumerate(nodes)]
    children = sibling_order(scheme.judge.rule, order)
    return Plan(children, paths, places, cases, [node.token for node in nodes])


def leftover(scheme: Scheme, path: Tokens, failed: tuple[tuple[int, float], ...]) -> list[float]:
    """Log weights of the tokens after rejected (token, q)."""
    weights = list(scheme.law[path])
    for token, q in failed:
        mass = q if isinstance(scheme.judge, StaleJudge) else 1.0
        weights[token] = max(0.0, weights[token] - mass)
    return [log(weight) if weight > 0 else -np.inf for weight in weights]


def sequences(scheme: Scheme, seed: int) -> Counter:
    """RUNS sequences. Draws are keyed by position and sibling, the noise by position."""
    generator = np.random.default_rng(seed)
    draws = generator.random((RUNS, LENGTH, SIBLINGS)).tolist()
    noise = generator.gumbel(size=(RUNS, LENGTH, V)).tolist()
    known, weights = cache(partial(plan, scheme)), cache(partial(leftover, scheme))

    def step(text: Tokens, rejected: Tokens, run: int) -> tuple[Tokens, Tokens]:
        here = known(text, rejected)

        def case_of(node: int) -> Case:
            level, sibling = here.places[node]
            case = here.cases[node]
            return Case(False, case.standing, case.q, draws[run][level][sibling])

        walk = follow(scheme.judge, -1, here.children, case_of)
        path = here.paths[walk.path[-1] if walk.path else -1]
        if len(path) == LENGTH:
            return path, ()
        failed = tuple(
            (here.tokens[node], here.cases[node].q)
            for node, ruling in walk.rulings.items()
            if not ruling.passes and here.places[node][0] == len(path)
        )
        scores = [w + g for w, g in zip(weights(path, failed), noise[run][len(path)], strict=True)]
        return (*path, scores.index(max(scores))), tuple(token for token, _ in failed)

    found: Counter = Counter()
    for run in range(RUNS):
        text: Tokens = ()
        rejected: Tokens = ()
        while len(text) < LENGTH:
            text, rejected = step(text, rejected, run)
        found[text] += 1
    return found


def deviations(chi_square: float, degrees: int) -> float:
    """The normal quantile that a chi-square corresponds to (Wilson and Hilferty, 1931)."""
    spread = 2 / (9 * degrees)
    return ((chi_square / degrees) ** (1 / 3) - (1 - spread)) / spread**0.5


def excess(found: Counter, law: Law) -> float:
    """How far the counts lie from the law, as a normal quantile."""
    wanted = {
        (a, b, c): RUNS * law[()][a] * law[a,][b] * law[a, b][c]
        for a, b, c in product(range(V), repeat=LENGTH)
    }
    assert all(wanted[text] > 0 for text in found), "a sequence that the target excludes"
    cells = [(found[text], expected) for text, expected in wanted.items() if expected >= 5]
    small = [(found[text], expected) for text, expected in wanted.items() if 0 < expected < 5]
    if small:
        cells.append(tuple(map(sum, zip(*small, strict=True))))
    chi_square = sum((n - expected) ** 2 / expected for n, expected in cells)
    return deviations(chi_square, len(cells) - 1)


SCHEMES = {
    "chain": (Scheme(tabulated(1), chain), 11),
    "tree": (Scheme(tabulated(2), tree), 12),
    "proposed again": (Scheme(tabulated(3), again), 13),
    "top-p": (Scheme(tabulated(4, 0.8), tree), 14),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_speculative_sequences_have_the_targets_law(name):
    scheme, seed = SCHEMES[name]
    assert excess(sequences(scheme, seed), scheme.law) < QUANTILE


def test_the_same_test_rejects_a_stale_q():
    scheme = Scheme(tabulated(3), again, StaleJudge())
    assert excess(sequences(scheme, 13), scheme.law) > 3 * QUANTILE


@pytest.mark.parametrize(
    ("chi_square", "degrees", "quantile"),
    [(18.307, 10, 1.645), (29.588, 10, 3.09), (124.342, 100, 1.645)],
)
def test_the_approximation_of_chi_square_by_tabulated_quantiles(chi_square, degrees, quantile):
    assert deviations(chi_square, degrees) == pytest.approx(quantile, abs=0.03)
