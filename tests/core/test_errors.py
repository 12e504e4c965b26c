"""The error report against brute force, bounds and hand-made levels."""

import math
import random

import pytest

from eagley_core.config import DecodeConfig
from eagley_core.errors import Observed, equal_lenience, errors, law, observed, pooled
from eagley_core.judge import Case, Judge, Standing
from eagley_core.rule import Rule
from tests.core.recorded import recorded

RULES = [
    "exact",
    "speculative",
    "seed-ratio:0.05",
    "seed-ratio:0.3",
    "seed-threshold:0.05",
    "seed-threshold:0.5",
    "top-k:2",
    "lenience:0.7",
    "lenience:0.2",
    "typical:0.3,0.3",
]
V = 7


def target(chance: random.Random) -> list[float]:
    odds = [chance.expovariate(1) ** 3 for _ in range(V)]
    return [x / sum(odds) for x in odds]


def level_of(p: list[float], children: list[int], chance: random.Random) -> tuple[Case, ...]:
    entropy = -sum(x * math.log(x) for x in p if x > 0)
    order = sorted(range(V), key=lambda token: -p[token])

    def case(token: int) -> Case:
        standing = Standing(p[token], max(p), order.index(token), entropy)
        return Case(token == order[0], standing, chance.uniform(0.05, 1), 0.5)

    return tuple(case(token) for token in children)


def levels(n: int, seed: int = 0) -> list[tuple[list[float], list[int], tuple[Case, ...]]]:
    chance, found = random.Random(seed), []
    for _ in range(n):
        p = target(chance)
        children = chance.sample(range(V), chance.randint(1, 4))
        found.append((p, children, level_of(p, children, chance)))
    return found


def brute_force(judge: Judge, p: list[float], children: list[int], level: tuple) -> list[float]:
    """The output law token by token: accept in turn, else the target's own or the residual."""
    y, reached, weights = [0.0] * V, 1.0, list(p)
    for token, case in zip(children, level, strict=True):
        chance = judge.chance(case, sum(weights))
        y[token] += reached * chance
        reached *= 1 - chance
        if judge.leaves_rest:
            weights[token] = 0.0
    return [a + reached * w / sum(weights) for a, w in zip(y, weights, strict=True)]


@pytest.mark.parametrize("rule", RULES)
def test_the_law_is_brute_forces(rule):
    judge = Judge(Rule.parse(rule), False)
    for p, children, level in levels(200):
        y = brute_force(judge, p, children, level)
        found = law(judge, level)
        assert sum(y) == pytest.approx(1)
        assert found.total_variation == pytest.approx(
            sum(abs(a - b) for a, b in zip(y, p, strict=True)) / 2, abs=1e-12
        )
        divergence = sum(a * math.log(a / b) for a, b in zip(y, p, strict=True) if a > 0)
        assert found.divergence == pytest.approx(divergence, abs=1e-12)
        assert found.largest_ratio == pytest.approx(
            max(a / b for a, b in zip(y, p, strict=True)), rel=1e-9
        )


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_excess_acceptance_is_error(rule, greedy):
    """No rule, whatever its residual, has a total variation below acceptance - p(S)."""
    judge = Judge(Rule.parse(rule), greedy)
    for _, _, level in levels(300, seed=1):
        found = law(judge, level)
        excess = found.acceptance - found.lossless_acceptance
        assert found.total_variation >= excess - 1e-12
        if not greedy:
            assert found.divergence >= 2 * found.total_variation**2 - 1e-12  # Pinsker


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("rule", ["exact", "speculative", "lenience:1"])
def test_a_lossless_rule_has_no_error_and_accepts_all_that_can_be(rule, greedy):
    for _, _, level in levels(100, seed=2):
        found = law(Judge(Rule.parse(rule), greedy), level)
        assert found.total_variation == pytest.approx(0, abs=1e-12)
        assert found.acceptance == pytest.approx(found.lossless_acceptance)


@pytest.mark.parametrize("lenience", [0.9, 0.5, 0.1])
def test_lenience_keeps_its_cap(lenience):
    """Leviathan et al., A.5: no output probability above p / l."""
    judge = Judge(Rule("lenience", (lenience,)), False)
    ratios = [law(judge, level).largest_ratio for _, _, level in levels(300, seed=3)]
    assert max(ratios) <= 1 / lenience + 1e-9
    assert max(ratios) > 1


def test_a_ratio_by_hand():
    #  p = 0.3, q = 0.6, threshold 0.1: accepted with 1 - 0.1 / 0.5 = 0.8; y = 0.8 + 0.2 * 0.3
    case = Case(False, Standing(0.3, 0.5, 1, 1.0), 0.6, 0.5)
    found = law(Judge(Rule("seed-ratio", (0.1,)), False), (case,))
    assert found.acceptance == pytest.approx(0.8)
    assert found.total_variation == pytest.approx(0.86 - 0.3)
    assert found.largest_ratio == pytest.approx(0.86 / 0.3)


def test_the_yardstick_finds_the_lenience_that_made_the_error():
    every = [level for _, _, level in levels(60, seed=4)]
    for lenience in (0.8, 0.4):
        judge = Judge(Rule("lenience", (lenience,)), False)
        found = errors(Observed(judge, every, 60, 0))
        assert found.lenience == pytest.approx(lenience, abs=1e-5)
        assert found.lenience_acceptance == pytest.approx(found.acceptance, abs=1e-5)


def test_the_seeds_ratio_is_below_lenience_at_equal_error_where_the_draft_is_right():
    """Its rule rejects a token that the target has in full; lenience does not."""
    every = [level_of([0.9, 0.1, 0, 0, 0, 0, 0], [0], random.Random(i)) for i in range(40)]
    found = errors(Observed(Judge(Rule("seed-ratio", (0.1,)), False), every, 40, 0))
    assert found.lenience_acceptance > found.acceptance


def test_a_yardstick_that_must_not_err_accepts_no_more_than_the_lossless():
    every = [level for _, _, level in levels(60, seed=5)]
    strict = equal_lenience(every, False, 0.0)
    assert strict.rule.numbers[0] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("rule", ["seed-threshold:0.05", "top-k:3", "lenience:0.4"])
def test_mismatches_at_temperature_0_are_counted_on_the_emitted_text(engine, rule):
    """Against the target's own token given the emitted text, recomputed by vanilla decoding."""
    trace, _ = recorded(engine, DecodeConfig("eagle", 30, rule=Rule.parse(rule)))
    text = [*trace.prompt_ids, *trace.output_ids]
    wrong = 0
    for place in range(len(trace.prompt_ids) + 1, len(text)):
        own = next(engine.steps(text[:place], DecodeConfig("vanilla", 1), lambda ids: ""))
        wrong += own.bonus_id != text[place]
    found = observed(trace)
    assert found.mismatches == wrong > 0
    assert errors(found).mismatch_rate == wrong / 29


def test_an_exact_run_has_no_error(engine):
    found = errors(observed(recorded(engine, DecodeConfig("eagle", 30))[0]))
    assert found.mismatch_rate == found.total_variation == 0


def test_a_run_without_levels_has_no_report(engine):
    found = observed(recorded(engine, DecodeConfig("vanilla", 5))[0])
    assert errors(found).total_variation is None
    both = observed(recorded(engine, DecodeConfig("eagle", 5))[0])
    assert errors(pooled([both, both])).levels == 2 * len(both.levels)
