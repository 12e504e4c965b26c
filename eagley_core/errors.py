"""What an approximate rule costs: the law of its tokens against the target's.

Given a step's tree, a rule's next token has a law that follows exactly from the recorded figures:
a child's token gets its chance of being accepted, every other token its share of the target's
distribution. No sampling is involved, and no model.
"""

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from eagley_core.judge import Case, Judge
from eagley_core.rule import Rule
from eagley_core.trace import Trace
from eagley_core.what_if import ROOT, case_of, children_of, prediction_at

Level = tuple[Case, ...]
"""The children of one accepted row, in the order in which they are tested."""
HALVINGS = 24  # of the search for a lenience


class Observed(NamedTuple):
    """What the errors of one or several runs are computed from."""

    judge: Judge
    levels: Sequence[Level]  # that decided an emitted token, the prefill left out
    tokens: int  # emitted by decode steps
    mismatches: int  # of them, not the target's own token given the text before


class Errors(NamedTuple):
    """Means over levels; None where there is none. At temperature 0 the target's law is its own
    token alone: total variation is then the chance of another token, and there is no divergence.

    For no rule is total_variation below acceptance - lossless_acceptance.
    """

    levels: int
    tokens: int
    mismatch_rate: float | None  # at temperature 0: mismatches over tokens, teacher-forced
    acceptance: float | None = None  # that a level accepts a node
    lossless_acceptance: float | None = None  # the most that a rule without error accepts
    total_variation: float | None = None
    divergence: float | None = None  # KL(output || target), nats
    largest_ratio: float | None = None  # output probability over the target's, over all levels
    lenience: float | None = None  # of the rule `lenience` with an equal total variation here
    lenience_acceptance: float | None = None  # and what it accepts


def observed(trace: Trace) -> Observed:
    """One run's levels and mismatches."""
    config = trace.config
    levels: list[Level] = []
    mismatches = 0
    for step in trace.decode_steps:
        children = children_of(step, config.rule)
        rows = (ROOT, *step.accepted)[: step.emitted]
        found = [children[row] for row in rows if row in children]
        levels += [tuple(case_of(step, node, config) for node in nodes) for nodes in found]
        taken = step.accepted[: step.emitted]
        mismatches += sum(
            step.nodes[i].token_id != prediction_at(step, step.nodes[i].parent).choice_id
            for i in taken
        )
    tokens = sum(step.emitted for step in trace.decode_steps)
    return Observed(Judge(config.rule, config.temperature == 0), levels, tokens, mismatches)


def pooled(parts: Sequence[Observed]) -> Observed:
    """Several runs of one rule as one."""
    levels = [level for part in parts for level in part.levels]
    tokens, mismatches = sum(p.tokens for p in parts), sum(p.mismatches for p in parts)
    return Observed(parts[0].judge, levels, tokens, mismatches)


def errors(found: Observed) -> Errors:
    """The error report of one rule."""
    judge, levels = found.judge, found.levels
    rate = found.mismatches / found.tokens if judge.greedy and found.tokens else None
    if not levels:
        return Errors(0, found.tokens, rate)
    laws = [law(judge, level) for level in levels]
    distance = _mean(one.total_variation for one in laws)
    lenient = equal_lenience(levels, judge.greedy, distance)
    return Errors(
        levels=len(levels),
        tokens=found.tokens,
        mismatch_rate=rate,
        acceptance=_mean(one.acceptance for one in laws),
        lossless_acceptance=_mean(one.lossless_acceptance for one in laws),
        total_variation=distance,
        divergence=None if judge.greedy else _mean(one.divergence for one in laws),
        largest_ratio=None if judge.greedy else max(one.largest_ratio for one in laws),
        lenience=lenient.rule.numbers[0],
        lenience_acceptance=_mean(law(lenient, level).acceptance for level in levels),
    )


class Law(NamedTuple):
    """One level's output law against the target's."""

    acceptance: float
    lossless_acceptance: float
    total_variation: float
    divergence: float
    largest_ratio: float


def law(judge: Judge, level: Level) -> Law:
    """Exact, from the children's probabilities alone: all other tokens keep their proportions."""
    taken, left = _accepted(judge, level)
    p = [float(case.is_own) if judge.greedy else case.standing.p for case in level]
    outside = max(0.0, 1 - sum(p))
    y, scale = _output(judge, taken, left, (p, outside))
    pairs = [*zip(y, p, strict=True), (scale * outside, outside)]
    return Law(
        acceptance=1 - left,
        lossless_acceptance=sum(p),
        total_variation=sum(abs(a - b) for a, b in pairs) / 2,
        divergence=sum(a * log(a / b) for a, b in pairs if a > 0 and b > 0),
        largest_ratio=max((a / b for a, b in pairs if b > 0), default=1.0),
    )


def _accepted(judge: Judge, level: Level) -> tuple[list[float], float]:
    """The probability of accepting each child, and of accepting none."""
    taken, left, rest = [], 1.0, 1.0
    for case in level:
        chance = judge.chance(case, rest)
        taken.append(left * chance)
        left *= 1 - chance
        rest -= case.standing.p
    return taken, left


def _output(
    judge: Judge, taken: list[float], left: float, target: tuple[list[float], float]
) -> tuple[list[float], float]:
    """The output's probability of each child's token, and its ratio to the target's elsewhere."""
    p, outside = target
    if judge.leaves_rest:
        return taken, left / outside if outside else 0.0
    return [a + left * b for a, b in zip(taken, p, strict=True)], left


def equal_lenience(levels: Sequence[Level], greedy: bool, total_variation: float) -> Judge:
    """The least lenience whose mean total variation on these levels is not above the given one.

    The yardstick of every approximate rule: what lenience accepts at an equal error.
    """
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        judge = Judge(Rule("lenience", (middle,)), greedy)
        if _mean(law(judge, level).total_variation for level in levels) > total_variation:
            low = middle
        else:
            high = middle
    return Judge(Rule("lenience", (high,)), greedy)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
