"""Results side by side on one page, from made-up results."""

import json
import re

import pytest

from components.figures.results import by_category, drift, paired
from components.report import tables
from components.report.page import page
from components.report.result import Result, interval, pair_label, read, read_all
from components.report.seed import SEED_51, accuracy_table, length_table
from eagley_core.bench_result import result_of
from tests.core.test_bench_result import ROWS

MADE = {"target": "tiny", "draft": "head", "new_tokens": 30, "text": "x"}
ENVIRONMENT = {
    "device": "cpu",
    "processor": "a processor",
    "dtype": "float32",
    "threads": 2,
    "numerics": "row-invariant",
    "python": "3",
    "torch": "2",
    "transformers": "5",
}


def result(name: str = "one", suite: str | None = None, category: str = "a", **more) -> Result:
    rows = [r | MADE | {"category": category, "environment": ENVIRONMENT} for r in ROWS]
    rows = [r | {"at": 60.0 * n} for n, r in enumerate(rows)]
    return Result(name, result_of(rows) | {"setup": {"suite": suite}} | more)


def share(correct: int, of: int, equal: int) -> dict:
    value = correct / of if of else None
    return {
        "correct": correct,
        "of": of,
        "value": value,
        "compared": of,
        "answers_equal_to_vanilla": equal,
    }


def graded(suite: str, correct: int, of: int) -> Result:
    accuracy = {lane: share(correct, of, of) for lane in ("vanilla", "eagle", "eagley")}
    return result(suite, suite, accuracy=accuracy)


def test_every_pair_is_a_mark_with_its_interval_and_every_prompt_behind_it():
    marks, prompts = paired([result()]).data
    at = list(marks.y).index("EAGLEY over EAGLE")
    assert marks.x[at] == 1.4
    assert marks.error_x.array[at] == pytest.approx(0.6)
    assert list(prompts.y).count("EAGLEY over EAGLE") == 2
    assert "EAGLEY over generate, whole calls" in marks.y
    assert "EAGLE over generate, whole calls" not in marks.y  # the table has it


def test_results_are_told_apart_by_colour_and_symbol():
    first, second, *_ = paired([result("one"), result("two")]).data
    assert (first.name, second.name) == ("one", "two")
    assert first.marker.color != second.marker.color
    assert first.marker.symbol != second.marker.symbol


def test_categories_are_rows_and_a_result_without_one_leaves_it_out():
    figure = by_category([result(), result("two", category="b")], "eagley_vs_eagle")
    assert [list(trace.y) for trace in figure.data] == [["a"], ["b"]]
    assert "a 1.40" in figure.layout.meta["alt"]


def test_drift_is_drawn_by_time():
    points, lines = drift([result()]).data
    assert list(points.x) == [0.0, 5.0]
    assert list(points.y) == [10.0, 10.0]
    assert lines.mode == "lines"


def test_an_older_file_still_reads():
    made = result()
    old = {k: v for k, v in made.document.items() if k not in ("ratios", "drift", "setup")}
    old["rows"] = [{k: v for k, v in r.items() if k not in ("at", "engine")} for r in old["rows"]]
    for figures in old["methods"].values():
        del figures["intervals"], figures["compared"], figures["ties"]
    text = page([Result("old", old), made])
    assert "not recorded" in text
    assert len(drift([Result("old", old)]).data) == 0


def test_the_shipped_results_make_a_page(pytestconfig):
    files = sorted((pytestconfig.rootpath / "assets/results").glob("spec-bench-*.json"))
    text = page(read_all(files))
    for file in files:
        told = json.loads(file.read_text("utf-8"))
        gain, own = told["speedup"]["eagley_vs_vanilla"], told["methods"]["eagley"]
        assert "{median:.2f} ({low:.2f} to {high:.2f})".format(**gain) in text
        assert f"{own['identical_to_vanilla']} of {own['runs']}" in text


def test_the_page_asks_no_network_and_escapes_what_results_say():
    evil = "<script>alert(1)</script>"
    made = result(evil)
    text = page([made])
    assert evil not in text
    body = text.split("</script></head>")[1]
    assert not re.search(r"(src|href)\s*=\s*['\"]?(https?:)?//", body)
    assert "<script src" not in text


def test_the_seeds_numbers_are_the_seeds_and_what_is_not_measured_says_so():
    table = accuracy_table([graded("gsm8k", 3, 100)])
    assert [row[0] for row in table.rows[: len(SEED_51)]] == ["the seed's"] * len(SEED_51)
    ours = [row for row in table.rows if row[0] == "measured here"]
    assert [row[2] for row in ours] == ["Vanilla", "EAGLE", "EAGLEY"]
    assert ours[0][3:6] == ("3.0 (3 of 100)", "not measured here", "not measured here")
    assert ours[2][6] == "GSM8K 1.40 (0.80 to 2.00)"
    assert ours[1][6] == "GSM8K baseline"


def test_below_a_tenth_the_model_cannot_decide_and_above_it_can():
    undecided = accuracy_table([graded("gsm8k", 9, 100)]).notes
    assert any("cannot decide the seed's accuracy claim" in note for note in undecided)
    decided = accuracy_table([graded("gsm8k", 10, 100)]).notes
    assert not any("cannot decide" in note for note in decided)
    assert any("EAGLEY 100 of 100" in note for note in decided)


def test_several_suites_of_one_target_share_a_row():
    table = accuracy_table([graded("gsm8k", 30, 100), graded("humaneval", 5, 50)])
    (row,) = [r for r in table.rows if r[0] == "measured here" and r[2] == "EAGLEY"]
    assert row[3:6] == ("30.0 (30 of 100)", "not measured here", "10.0 (5 of 50)")
    assert "GSM8K 1.40" in row[6]
    assert "HumanEval 1.40" in row[6]


def test_lengths_say_whether_the_answers_were_of_the_seeds_class():
    rows = length_table([result("s", "scenarios", "short"), result("l", "scenarios", "long")]).rows
    by_name = {row[0]: row for row in rows}
    assert by_name["short, under 50 tokens"][2:4] == ("s", "2.50 (2.00 to 3.00)")
    assert by_name["short, under 50 tokens"][-1] == "30"
    assert by_name["long, over 200 tokens"][-1] == "30, outside the seed's class"
    assert by_name["code"][2] == "not measured here"
    assert by_name["code"][1] == "1.8 to 2.4"


def test_two_results_agree_where_each_median_lies_in_the_others_interval():
    far = {"median": 9.0, "low": 8.0, "high": 9.5}
    speedup = result().document["speedup"] | {"eagle_vs_vanilla": far}
    same = {"prompts_sha256": "ab"}
    table = tables.ratio_table(
        [result("one", setup=same), result("two", setup=same, speedup=speedup)]
    )
    agree = {row[0]: row[-1] for row in table.rows}
    assert agree["EAGLEY over EAGLE"] == "yes"
    assert agree["EAGLE over Vanilla"] == "no"
    others = [result("one", setup=same), result("two", setup={"prompts_sha256": "cd"})]
    assert len(tables.ratio_table(others).rows[0]) == len(others) + 1  # nothing to agree on


def test_transformers_best_mode_is_named():
    _, note = tables.ratio_table([result()]).notes
    assert "fastest mode is generate" in note
    assert "3.50 (3.00 to 4.00)" in note


def test_equality_tells_ties_from_other_differences():
    rows = tables.equality_table([result()]).rows
    (peer,) = [row for row in rows if row[1] == "transformers generate"]
    assert peer[2:] == ("0 of 2", "1", "1", "0.5")
    (own,) = [row for row in rows if row[1] == "EAGLEY"]
    assert own[2:] == ("2 of 2", "0", "0", "")


def test_a_file_that_is_no_result_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text in ("nonsense", "[]", "{}", json.dumps(result().document | {"rows": []})):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"x\.json is not a result of bench"):
            read(path)


def test_files_of_one_name_are_told_apart(tmp_path):
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "r.json")
        paths[-1].write_text(json.dumps(result().document))
    assert [found.name for found in read_all(paths)] == ["a/r", "b/r"]


def test_words_of_pairs_and_intervals():
    assert pair_label("eagley[top-k:2]_vs_eagle") == "EAGLEY[top-k:2] over EAGLE"
    assert pair_label("vanilla-fast_vs_generate") == "Vanilla, plain passes over generate"
    assert interval(None) == interval({"median": None}) == "unknown"


def test_the_command_writes_the_page(tmp_path, capsys):
    from eagley_core import cli

    source, out = tmp_path / "r.json", tmp_path / "r.html"
    source.write_text(json.dumps(result().document))
    assert cli.main(["report", str(source), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(out), "results": 1}
    assert out.read_text().startswith("<!doctype html>")
    assert cli.main(["report", str(tmp_path / "none.json")]) == 2
