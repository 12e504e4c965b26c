"""Two Ray workers on a tiny model, one of them killed: the same figures as one process alone."""

from functools import partial

import pytest

from eagley_core import cli
from eagley_core.bench import Plan, bench, items_of
from eagley_core.bench_result import result_of
from eagley_core.calibration import Calibration
from eagley_core.cluster import LOCAL, Resources, connected
from eagley_core.config import DecodeConfig
from eagley_core.crew import Crew
from eagley_core.frozen import save_frozen
from eagley_core.journal import Journal
from eagley_core.prompt_file import PromptLine
from eagley_core.worker import Task
from tests.core.fragile import fragile_lab, no_lab
from tests.core.tiny import COSTS

LINES = [PromptLine(str(n), "ab"[n % 2], "the quick brown fox jumps"[n:]) for n in range(5)]
LANES = {method: DecodeConfig(method, 12) for method in ("vanilla", "eagle", "eagley")}
ONE, TWO = Resources(workers=1), Resources(workers=2)
TIMED = ("seconds", "per_second", "latency")
DEADLY = "3"


def counted(rows) -> dict:
    """What a run emitted and counted, by item and lane."""
    return {
        (row["repeat"], row["question_id"], row["lane"]): {
            name: value
            for name, value in row.items()
            if name not in ("worker", "at") and not any(part in name for part in TIMED)
        }
        for row in rows
    }


@pytest.fixture(scope="module")
def ray():
    """A cluster of two processors on this machine."""
    pytest.importorskip("ray")
    with connected(LOCAL, TWO) as connection:
        yield connection


@pytest.mark.ray
def test_a_killed_workers_item_is_run_by_another_and_every_figure_is_the_same(ray, tmp_path):
    save_frozen(tmp_path / "frozen.json", COSTS, Calibration())
    items = items_of(LINES, 1)
    journal, told = Journal(tmp_path / "journal"), []
    crew = Crew(ray, TWO, partial(fragile_lab, tmp_path, DEADLY), told.append)
    for item, rows in crew.results([Task(item, LANES) for item in items]):
        journal.add(item.key, rows)
    rows = result_of([row for item in items for row in journal.rows(item.key)])["rows"]
    killed = (tmp_path / "mark").read_text()  # one worker did die, and it was told
    assert told == [f"a worker was lost over item 0.{DEADLY}, which is run again"]
    again = {r["worker"] for r in rows if r["question_id"] == DEADLY}
    assert len(again) == 1 and not again.pop().endswith(f"/{killed}")
    alone = bench(fragile_lab(tmp_path, DEADLY), LINES, Plan(LANES), lambda turn: None)["rows"]
    assert len(rows) == len(alone) == len(counted(rows))
    assert counted(rows) == counted(alone)


@pytest.mark.ray
def test_what_an_engine_raises_ends_the_work_in_its_own_words(ray):
    crew = Crew(ray, ONE, no_lab, lambda line: None)
    with pytest.raises(ValueError, match=r"^there is no such folder$"):
        list(crew.results([Task(item, LANES) for item in items_of(LINES, 1)]))


def test_resources_by_hand():
    assert Resources.parse("gpus=0.5,cpus=4") == Resources(4, 0.5, None)
    assert Resources(2).fitting({"CPU": 9}) == 4
    assert Resources(2, 1).fitting({"CPU": 9, "GPU": 3}) == 3
    assert Resources(2, 1, 2).fitting({"CPU": 9, "GPU": 3}) == 2
    with pytest.raises(ValueError, match="9 CPUs and 0 GPUs: too few for 1 workers of 2 and 1"):
        Resources(2, 1).fitting({"CPU": 9})


@pytest.mark.parametrize(
    "text", ["", "2", "cpus", "cpus=x", "cpus=0", "cpus=-1", "gpus=-1", "workers=0", "tpus=1"]
)
def test_resources_that_are_none_are_refused(text):
    with pytest.raises(ValueError, match=r"cpus|workers"):
        Resources.parse(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--ray"], "pip install 'ray~=2.60'"),
        (["--ray", "--warm"], "--warm does not go with --ray"),
        (["--ray", "auto", "--traces", "x"], "--traces does not go with --ray"),
        (["--ray", "--ray-resources", "many"], "resources must look like"),
        (["--ray-resources", "cpus=2"], "needs --ray"),
    ],
)
def test_what_cannot_go_on_ray_is_told_in_one_line(words, told, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)  # as if it were not installed
    assert cli.main(["bench", "--prompts", "x", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert told in err
