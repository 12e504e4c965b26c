"""The ladder: which rungs, what they run, tuned and reported apart."""

import json
from dataclasses import replace

import pytest

from eagley_core.ablation import CHANNELS, RUNGS, Ladder, ablate
from eagley_core.ablation_result import by_store
from eagley_core.commands.ablate import words
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.lab import Lab
from eagley_core.prompt_file import PromptLine
from tests.core.test_bench import Letters
from tests.core.tiny import TinyEngine, tiny_target

LINES = [PromptLine(str(n), "ab"[n % 3 == 0], f"hello there {n * 7}") for n in range(6)]
SWEEP = (TreeShape("auto", 4, 2, 2), TreeShape("auto", 12, 4, 4))
BASE = DecodeConfig("vanilla", 10)
BUILT = ("vanilla", "eagle-fixed", "eagle", "recycled")


def quiet(part: str, n_turns: int):
    return lambda turn: None


def test_every_rung_is_its_channels_over_eagle_with_one_tree():
    lanes = Ladder(BASE).lanes(SWEEP[0])
    assert tuple(lanes) == RUNGS
    assert lanes["eagle"].tree == SWEEP[0]
    assert str(lanes["eagle-fixed"].tree) == "fixed"
    for name, channels in CHANNELS.items():
        assert (lanes[name].method, lanes[name].reuse) == ("eagley", channels)
        assert lanes[name].tree == SWEEP[0]
    assert {lane.max_new_tokens for lane in lanes.values()} == {10}


def ran(engine, **changes) -> dict:
    ladder = Ladder(BASE, BUILT, SWEEP, **changes)
    return ablate(Lab(engine, Letters(), "tiny"), LINES, ladder, quiet)


@pytest.fixture(scope="module")
def result(engine) -> dict:
    return ran(engine)


def test_what_is_tuned_is_not_reported(result):
    reported = {row["question_id"] for row in result["rows"]}
    assert result["tuning"]["prompts"] == ["1", "3", "5"]
    assert reported == {"0", "2", "4"}


def test_the_fastest_tree_of_the_sweep_is_every_rungs(result):
    speeds = result["tuning"]["tokens_per_second"]
    assert set(speeds) == set(map(str, SWEEP))
    assert speeds[result["tuning"]["chosen"]] == max(speeds.values())
    grown = [own["tree"] for name, own in result["rungs"].items() if name in ("eagle", "recycled")]
    assert grown == [result["tuning"]["chosen"]] * 2


def test_every_rung_is_reported_cold_and_warm_and_is_exact(result):
    assert list(by_store(result)) == ["cold", "warm"]
    for own in by_store(result).values():
        assert set(BUILT) <= set(own["methods"])
        assert own["methods"]["recycled"]["identical_to_vanilla"] == 3
        assert "recycled_vs_eagle" in own["speedup"]
        assert own["reuse"].keys() == {"eagle-fixed", "eagle", "recycled"}
    json.dumps(result)


def test_the_whole_ladder_runs_and_every_rung_is_exact(engine):
    lab, ladder = Lab(engine, Letters(), "tiny"), Ladder(BASE, sweep=SWEEP[:1], stores=("warm",))
    found = ablate(lab, LINES[:4], replace(ladder, replay=True), quiet)
    assert set(RUNGS) <= set(found["methods"])
    for rung in RUNGS:
        assert found["methods"][rung]["identical_to_vanilla"] == 2
    assert "missed_by_eagle" in found["reuse"]["all"]


def test_one_kind_of_store_alone(engine):
    assert list(by_store(ran(engine, stores=("warm",)))) == ["warm"]


def test_the_table_has_a_row_per_rung(result):
    table = words(result)
    assert all(f"| {rung} |" in table for rung in BUILT)
    assert table.index("cold store") < table.index("warm store")


def test_a_rung_that_the_engine_cannot_run_stops_before_any_work():
    told = []
    bare = TinyEngine(tiny_target(), None)
    ladder = Ladder(BASE, ("vanilla", "eagle", "suffix"), SWEEP)
    with pytest.raises(ValueError, match="eagle needs a draft"):
        ablate(Lab(bare, Letters(), "none"), LINES, ladder, lambda *part: told.append(part))
    assert told == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rungs": ("vanilla", "eagle", "magic")}, "got 'magic'"),
        ({"rungs": ("vanilla", "recycled")}, "vanilla and eagle"),
        ({"sweep": (TreeShape("fixed"),)}, "kind auto"),
        ({"sweep": ()}, "kind auto"),
    ],
)
def test_a_ladder_that_compares_nothing_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Ladder(BASE, **changes)


def test_one_prompt_cannot_be_halved(engine):
    with pytest.raises(ValueError, match="two prompts"):
        ablate(Lab(engine, Letters(), "tiny"), LINES[:1], Ladder(BASE), quiet)


@pytest.mark.parametrize("other", [{}, {"tuning": {}}, {"store": "cold"}])
def test_another_result_is_no_ablation(other):
    with pytest.raises(ValueError, match="not a result of ablate"):
        by_store(other)
