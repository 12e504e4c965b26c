"""The seed's formulas by hand, and beta solved from runs whose beta is known."""

import json

import pytest

from eagley_core import cli
from eagley_core.seed_fit import Measured, beta_of, fit, measured
from eagley_core.statistics import ratio_interval
from eagley_core.theory import (
    Step,
    leviathan_speedup,
    leviathan_tokens,
    seed_eagley,
    seed_standard,
    seed_verify,
    sequoia_speedup,
)

STEP = Step(alpha=0.6, accepted=1.5, single=0.04, draft=0.01, verify=0.05)


def test_the_seeds_formulas_by_hand():
    assert seed_standard(STEP) == pytest.approx((1.0, 2.5 * 0.04 / 0.06))
    assert seed_verify(0.05, 0.6, 0.3) == pytest.approx(0.05 * 0.88)
    assert seed_eagley(STEP, 0.3) == pytest.approx((0.06 / 0.054, 0.1 / 0.054))
    assert seed_eagley(STEP, 0) == seed_standard(STEP)


def test_a_perfect_draft_gains_nothing_from_beta():
    perfect = STEP._replace(alpha=1.0)
    assert seed_eagley(perfect, 0.3) == seed_standard(perfect)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9])
def test_leviathans_tokens_are_a_sum_of_chances(alpha):
    assert leviathan_tokens(alpha, 4) == pytest.approx(sum(alpha**i for i in range(5)))


def test_leviathans_limits():
    assert leviathan_tokens(1.0, 4) == 5
    assert leviathan_speedup(1.0, 4, 0.0) == 5
    assert leviathan_speedup(0.0, 4, 0.25) == 0.5
    assert leviathan_speedup(0.8, 7, 0.08) == pytest.approx(2.67, abs=0.01)  # their table's best


def test_sequoia_with_measured_costs_is_the_seeds_formula_with_the_bonus():
    found = sequoia_speedup(2.5, 0.05 / 0.04, depth=2, c=0.005 / 0.04)
    assert found == pytest.approx(seed_standard(STEP).with_bonus)


def runs(beta: float, numerator: str) -> list[Measured]:
    found = []
    for n, tree in enumerate(["auto:8,5,4", "auto:16,5,4", "auto:32,5,4"]):
        for prompt in range(5):
            step = Step(0.4 + 0.03 * prompt, 1.0 + 0.2 * n, 0.04, 0.01, 0.045 + 0.01 * n)
            eagley = getattr(seed_eagley(step, beta), numerator)
            found.append(Measured(str(prompt), tree, step, 3.0, 1.4, eagley))
    return found


@pytest.mark.parametrize("numerator", ["drafted", "with_bonus"])
@pytest.mark.parametrize("beta", [-0.2, 0.0, 0.25])
def test_beta_is_found_again(beta, numerator):
    found = beta_of(runs(beta, numerator), numerator)
    assert found == pytest.approx((beta, beta, beta), abs=1e-9)


def test_a_fit_says_its_errors_and_prompts():
    found = fit(runs(0.2, "with_bonus"))
    assert found["error"]["with_bonus"]["eagley"] == pytest.approx(0, abs=1e-9)
    assert found["error"]["with_bonus"]["eagley_without_beta"] > 0.05
    assert found["error"]["drafted"]["eagley"] > 0.01
    assert found["prompts"] == 5
    assert [row["tree"] for row in found["by_tree"]] == ["auto:8,5,4", "auto:16,5,4", "auto:32,5,4"]
    json.dumps(found)


def test_an_interval_widens_where_prompts_disagree():
    mixed = runs(0.3, "with_bonus")[:10] + [
        run._replace(prompt=run.prompt + "b") for run in runs(0.0, "with_bonus")
    ]
    found = beta_of(mixed, "with_bonus")
    assert 0 < found.low < found.median < found.high < 0.3


def test_two_tree_sizes_are_too_few():
    with pytest.raises(ValueError, match="at least 3 tree sizes"):
        fit([run for run in runs(0.1, "drafted") if "32" not in run.tree])


def test_a_ratio_of_sums_by_hand():
    assert ratio_interval([1, 2], [2, 4]).median == 0.5
    assert ratio_interval([], []) == (None, None, None)


def row(lane: str, speed: float | None, tree: str = "auto:8,5,4") -> dict:
    return {
        "lane": lane,
        "question_id": "q",
        "repeat": 0,
        "tree": tree,
        "decode_tokens_per_second": speed,
        "target_passes": 10,
        "acceptance_rate": 0.5,
        "accepted_draft_tokens_per_step": 1.0,
        "draft_seconds": 0.1,
        "verify_seconds": 0.4,
        "draft_passes": 30,
    }


def result(eagley: float | None, tree: str = "auto:8,5,4") -> dict:
    lanes = {"vanilla": 20.0, "vanilla-fast": 25.0, "eagle": 30.0, "eagley": eagley}
    rows = [row(lane, speed, tree) for lane, speed in lanes.items()]
    return {"vanilla_used": "fast", "rows": rows}


def test_a_result_becomes_one_measurement_per_prompt():
    (found,) = measured(result(35.0))
    assert found.step == pytest.approx((0.5, 1.0, 0.04, 0.01, 0.04))
    assert (found.eagle, found.eagley, found.draft_passes) == pytest.approx((1.2, 1.4, 3.0))
    assert measured(result(None)) == []


def test_the_command_reads_results_and_refuses_what_is_none(tmp_path, capsys):
    files = []
    for total in (8, 16, 24):
        files.append(tmp_path / f"{total}.json")
        files[-1].write_text(json.dumps(result(30.0 + total / 8, f"auto:{total},5,4")))
    assert cli.main(["theory", *map(str, files), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["by_tree"]) == 3
    assert cli.main(["theory", *map(str, files)]) == 0
    assert "alpha k + 1" in capsys.readouterr().out
    files[0].write_text("{}")
    assert cli.main(["theory", *map(str, files)]) == 2
    assert "8.json is not a result of bench" in capsys.readouterr().err
