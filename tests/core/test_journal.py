"""Stopped work goes on, and is the same as work that was not stopped."""

import json

import pytest

from eagley_core.bench import Plan, bench, items_of
from eagley_core.commands.bench import ruled_lanes
from eagley_core.config import DecodeConfig
from eagley_core.journal import Journal, digest
from eagley_core.lab import Lab
from tests.core.test_bench import LINES, Letters

TIMES = ("seconds", "per_second", "latency")
COMPARED = ("speedup", "vanilla_used", "ratios", "drift", "at")


class PlugPulledError(Exception):
    """Somebody pulled the plug."""


@pytest.fixture
def lab(engine) -> Lab:
    return Lab(engine, Letters(), "tiny")


def lanes() -> dict[str, DecodeConfig]:
    plain = {"vanilla": DecodeConfig("vanilla", 12), "eagle": DecodeConfig("eagle", 12)}
    return ruled_lanes(plain, "typical:0.3,0.3")


def untimed(found):
    """A result without what differs between any two runs."""
    if isinstance(found, dict):
        kept = {k: v for k, v in found.items() if not any(part in k for part in TIMES)}
        return {k: untimed(v) for k, v in kept.items() if k not in COMPARED}
    return [untimed(item) for item in found] if isinstance(found, list) else found


def test_a_stopped_bench_goes_on_with_what_is_left(lab, tmp_path):
    plan, ran = Plan(lanes(), repeats=2), []

    def until_the_third(turn) -> None:
        ran.append(turn.prompt.name)
        if len(ran) == 3:
            raise PlugPulledError

    with pytest.raises(PlugPulledError):
        bench(lab, LINES, plan, until_the_third, Journal(tmp_path / "j"))
    resumed = Journal(tmp_path / "j", resume=True)
    assert len(resumed) == 2
    found = bench(lab, LINES, plan, lambda turn: ran.append(turn.prompt.name), resumed)
    assert ran == ["1", "2", "1", "1", "2"]
    assert untimed(found) == untimed(bench(lab, LINES, plan, lambda turn: None))


def test_every_finished_item_is_in_the_file_once(lab, tmp_path):
    bench(lab, LINES, Plan(lanes(), repeats=2), lambda turn: None, Journal(tmp_path / "j"))
    _, *records = map(json.loads, (tmp_path / "j").read_text().splitlines())
    keys = [record["item"] for record in records]
    assert keys == [item.key for item in items_of(LINES, 2)]
    assert len(set(keys)) == 4


def test_a_line_that_was_cut_short_is_run_again(lab, tmp_path):
    path = tmp_path / "j"
    bench(lab, LINES, Plan(lanes()), lambda turn: None, Journal(path))
    path.write_text(path.read_text()[:-40])
    ran = []
    bench(
        lab,
        LINES,
        Plan(lanes()),
        lambda turn: ran.append(turn.prompt.name),
        Journal(path, "", True),
    )
    assert ran == ["2"]
    assert len(Journal(path, "", True)) == 2


def test_finished_work_is_neither_lost_nor_mixed_unasked(tmp_path):
    path = tmp_path / "j"
    Journal(path, digest("a")).add("0.0", [])
    with pytest.raises(ValueError, match=r"holds 1 finished items: go on with --resume"):
        Journal(path, digest("a"))
    with pytest.raises(ValueError, match="belongs to other prompts"):
        Journal(path, digest("b"), resume=True)
    with pytest.raises(ValueError, match="was finished before"):
        Journal(path, digest("a"), resume=True).add("0.0", [])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "x"}', "\n\n", '{"format": "eagley-journal", "plan": ""}\n{}\n'],
)
def test_a_file_that_is_no_journal_is_refused(tmp_path, text):
    (tmp_path / "j").write_text(text)
    with pytest.raises(ValueError, match="is not a journal"):
        Journal(tmp_path / "j", resume=True)
