"""Grids from a file, and what a bench says at their places."""

import json
from pathlib import Path

import pytest

from eagley_core import cli
from eagley_core.bench import Item, Plan, bench
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.lab import Lab
from eagley_core.sweep import Sweep, at, parts_of, read_sweep
from eagley_core.sweep_result import read_sweep_result, sweep_result
from eagley_core.worker import Task, Worker
from tests.core.test_bench import LINES, Letters

ASSETS = Path(__file__).resolve().parents[2] / "assets"
BASES = {m: DecodeConfig(m, 8) for m in ("vanilla", "eagle", "eagley")}
TEXT = """
[vary]
tree.total = [4, 12]
temperature = [0, 0.8]
"""


def swept(lab, sweep) -> dict:
    worker = Worker(lambda: lab)
    worker.open()
    parts = parts_of(sweep, BASES)
    rows = {
        part.name: [
            row
            for index, line in enumerate(LINES)
            for row in worker.run(Task(Item(0, index, line, part.name), part.lanes))
        ]
        for part in parts
    }
    return sweep_result(sweep, parts, rows)


def test_a_file_is_a_grid(tmp_path):
    (tmp_path / "sweep.toml").write_text(TEXT)
    sweep = read_sweep(tmp_path / "sweep.toml")
    assert sweep.axes == {"tree.total": (4, 12), "temperature": (0.0, 0.8)}
    assert sweep.points == [
        {"tree.total": 4, "temperature": 0.0},
        {"tree.total": 4, "temperature": 0.8},
        {"tree.total": 12, "temperature": 0.0},
        {"tree.total": 12, "temperature": 0.8},
    ]


def test_a_place_changes_what_it_names_and_nothing_else():
    found = at(DecodeConfig("eagle", 9, top_p=0.5), {"tree.depth": 2, "rule": "top-k:3"})
    assert (found.tree, str(found.rule)) == (TreeShape("auto", 24, 2, 4), "top-k:3")
    assert (found.method, found.max_new_tokens, found.top_p) == ("eagle", 9, 0.5)


@pytest.mark.parametrize(
    ("text", "reuse"), [("none", ()), ("recycled,suffix", ("recycled", "suffix"))]
)
def test_channels_are_written_as_on_the_command_line(text, reuse):
    found = at(DecodeConfig("eagley"), {"reuse": text, "coupled": False})
    assert (found.reuse, found.coupled) == (reuse, False)


@pytest.mark.parametrize("file", sorted(ASSETS.glob("sweep*.toml")), ids=lambda file: file.stem)
def test_shipped_grids_go_at_every_place(file):
    sweep = read_sweep(file)
    assert [at(DecodeConfig("eagley"), point) for point in sweep.points]


def test_vanilla_runs_once_for_all_places_of_a_temperature():
    sweep = Sweep({"tree.total": (4, 8, 12), "temperature": (0.0, 0.8)})
    parts = parts_of(sweep, BASES)
    assert [len(part.lanes) for part in parts] == [1 + 2 * 3] * 2
    assert [part.lanes["vanilla"].temperature for part in parts] == [0.0, 0.8]
    assert len({part.name for part in parts}) == 2


def test_every_place_has_the_figures_that_a_bench_there_has(engine, tmp_path):
    lab, sweep = Lab(engine, Letters(), "tiny"), Sweep({"tree.total": (1, 12)})
    found = swept(lab, sweep)
    (tmp_path / "s.json").write_text(json.dumps(found))
    assert read_sweep_result(tmp_path / "s.json") == found
    for point in found["points"]:
        lanes = {name: at(base, point["at"]) for name, base in BASES.items()}
        alone = bench(lab, LINES, Plan(lanes), lambda turn: None)
        for name in lanes:
            for figure in ("mean_accepted_length", "rows_verified", "identical_to_vanilla"):
                assert point["methods"][name][figure] == alone["methods"][name][figure]
        assert set(point["speedup"]) == set(alone["speedup"])
    few, many = (point["methods"]["eagle"]["rows_verified"] for point in found["points"])
    assert few < many


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not \\[vary\\] alone"),
        ("[vary]", "nothing varies"),
        ("[vary]\ncolour = [1]", "colour"),
        ("[vary]\ntree = [1]", "tree"),
        ("[vary]\ntemperature = 1.0", "must be a list"),
        ("[vary]\ntemperature = []", "has no value"),
        ('[vary]\ntemperature = ["a"]', "varies over a str: 'a'"),
        ("[vary]\ntree.total = [1.5]", "varies over a float"),
        ("[vary]\ntree.total = [4, 4]", "a value twice"),
        ("vary = 3", "sweep.toml is no sweep"),
        ("[vary\n", "sweep.toml is no sweep"),
        (f"[vary]\ntree.total = {list(range(1, 100))}\ntree.depth = [1, 2, 3, 4, 5]", "495 points"),
    ],
)
def test_a_file_that_is_no_grid_is_refused_by_name(tmp_path, text, told):
    (tmp_path / "sweep.toml").write_text(text)
    with pytest.raises(ValueError, match=told):
        read_sweep(tmp_path / "sweep.toml")


def test_settings_that_do_not_go_together_are_told_with_their_place():
    with pytest.raises(ValueError, match=r"^at tree.total=4, rule=magic"):
        at(DecodeConfig("eagle"), {"tree.total": 4, "rule": "magic"})
    with pytest.raises(ValueError, match=r"^at tree.total=4: .* fixed has no sizes"):
        at(DecodeConfig("eagle", tree=TreeShape("fixed")), {"tree.total": 4})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "other"}',
        '{"format": "eagley-sweep", "axes": {"a": [1]}, "points": [{"at": {}}]}',
        '{"format": "eagley-sweep", "axes": {"a": [1]}, "points": [{"at": {"a": 2}}]}',
        '{"format": "eagley-sweep", "axes": {"a": [1]}, "points": [{"at": {"a": 1}, '
        '"methods": 1, "speedup": {}}]}',
    ],
)
def test_a_file_that_is_no_result_of_a_sweep_is_refused(tmp_path, text):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(ValueError, match=r"^s.json is not the result of a sweep"):
        read_sweep_result(tmp_path / "s.json")


def test_what_does_not_go_with_a_grid_is_told_in_one_line(tmp_path, capsys):
    (tmp_path / "p.jsonl").write_text('{"prompt": "x"}')
    for words in (["--warm"], ["--rules", "top-k:2"], ["--traces", "t"], ["--peers", "generate"]):
        asked = ["bench", "--prompts", str(tmp_path / "p.jsonl"), "--sweep", "s.toml", *words]
        assert cli.main(asked) == 2
        assert capsys.readouterr().err == (
            f"eagley_core bench: {words[0]} does not go with --sweep\n"
        )
