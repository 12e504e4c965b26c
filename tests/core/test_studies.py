"""Rules on recorded steps, and runs against a clean pass: their laws on a tiny model."""

import json

import pytest

from eagley_core.commands import kv, rules
from eagley_core.kv_study import SETTINGS, kv_study
from eagley_core.kv_summary import ancestor_figures, by_age, by_place, setting_figures
from eagley_core.lab import Lab
from eagley_core.prompt_file import PromptLine
from eagley_core.rule_study import RULES, rule_study
from tests.core.test_bench import Letters

LINES = [PromptLine(str(n), "a", f"hello there {n * 7}") for n in range(2)]


@pytest.fixture(scope="module")
def lab(engine) -> Lab:
    return Lab(engine, Letters(), "tiny")


@pytest.fixture(scope="module")
def studied(lab) -> dict:
    told: list[str] = []
    result = rule_study(lab, LINES, 12, told.append)
    assert len(told) == 2 * len(LINES)
    return result


def test_every_rule_is_studied_at_both_temperatures(studied):
    found = [(row["temperature"], row["rule"]) for row in studied["rules"]]
    assert found == [(t, rule) for t in (0.0, 1.0) for rule in RULES]
    json.dumps(studied)


def test_no_rule_errs_less_than_it_accepts_too_much(studied):
    for row in studied["rules"]:
        assert row["total_variation"] >= row["acceptance"] - row["lossless_acceptance"] - 1e-9
        if row["rule"] == "speculative":
            assert row["total_variation"] == pytest.approx(0, abs=1e-9)
            assert row["mismatch_rate"] in (0, None)


def test_intervals_hold_their_means(studied):
    for row in studied["rules"]:
        own = row["total_variation_interval"]
        assert own["median"] == pytest.approx(row["total_variation"])
        assert own["low"] <= own["median"] <= own["high"]
    assert "| seed-ratio:0.1 |" in rules.words(studied)


@pytest.fixture(scope="module")
def held(lab) -> dict:
    return kv_study(lab, LINES, 24, lambda name: None)


def test_exact_settings_have_no_mismatch(held):
    json.dumps(held)
    for name in ("vanilla", "eagle", "eagley", "draft-kv:exact"):
        figures = held["settings"][name]
        assert figures["identical"] == figures["prompts"] == len(LINES)
        assert figures["mismatches"] == 0
        assert figures["kl"]["value"] == pytest.approx(0, abs=1e-6)
    assert list(held["settings"]) == list(SETTINGS)
    assert "| draft-kv:none |" in kv.words(held)


def test_other_rows_leave_errors_and_are_counted(held):
    assert held["settings"]["draft-kv:none"]["substituted_rows"] > 0
    assert held["settings"]["draft-kv:none"]["kl"]["value"] > 0
    assert held["settings"]["eagley"]["substituted_rows"] == 0
    (delta,) = held["settings"]["draft-kv:exact"]["deltas"]
    assert delta["exact"] == pytest.approx(0, abs=1e-5) and delta["none"] > 0


def test_a_changed_ancestor_errs_most_where_it_is(held):
    values = held["ancestor"]["values"]
    assert values[0] == max(values) > 0


def row(**changes) -> dict:
    counts = dict.fromkeys(("tokens", "steps", "tested_levels", "predictions"), 10)
    zeros = ("mismatches", "stale_tokens", "stale_rows", "substituted_rows", "kl", "flips")
    lists = ("ages", "deltas", "layer_similarity", "draft_similarity")
    rest = {"step_tokens": 20, "accepted_levels": 5, "setting": "x", "is_identical": True}
    errors = {"key_errors": None, "value_errors": None}
    return counts | dict.fromkeys(zeros, 0) | {n: [] for n in lists} | rest | errors | changes


def test_a_setting_is_pooled_by_hand():
    rows = [row(mismatches=1), row(mismatches=3, tokens=30, is_identical=False), row(setting="y")]
    found = setting_figures(rows, "x")
    assert found["mismatch_rate"]["value"] == 4 / 40
    assert (found["identical"], found["prompts"]) == (1, 2)
    assert found["mean_accepted_length"]["value"] == 2


def test_ages_and_places_by_hand():
    ages = [
        {"age": age, "count": count, "kl": kl, "flips": 1, "error": 0.5}
        for age, count, kl in ((3, 1, 1.0), (4, 3, 5.0), (900, 1, 2.0))
    ]
    first, last = by_age(ages)
    assert (first["up_to"], first["count"], first["kl"], first["flip_rate"]) == (4, 4, 4.0, 0.5)
    assert (last["up_to"], last["kl"]) == (64, 2.0)
    assert by_place([[1.0, 2.0], None, [3.0]]) == [2.0, 2.0]
    assert by_place([None, []]) is None


def test_ancestors_reach_as_far_as_all_do():
    rows = [{"keys": [1, 2, 3], "values": [1, 1, 1], "kl": [3, 2, 1]}] * 2
    rows += [{"keys": [3, 4], "values": [1, 1], "kl": [1, 0]}]
    assert ancestor_figures(rows)["keys"] == pytest.approx([5 / 3, 8 / 3])
