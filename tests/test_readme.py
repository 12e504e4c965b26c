"""What the README says is what the project ships."""

import json
import re
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LANES = {"vanilla": "vanilla", "EAGLE": "eagle", "EAGLEY": "eagley"}


@pytest.fixture(scope="module")
def result() -> dict:
    return json.loads((ROOT / "assets/results/spec-bench-90.json").read_text(encoding="utf-8"))


def test_the_space_runs_the_pinned_gradio():
    pinned = re.search(r"^gradio~=(\S+)$", (ROOT / "requirements.txt").read_text(), re.M)[1]
    assert f"\nsdk_version: {pinned}\n" in README


@pytest.mark.parametrize(("label", "lane"), LANES.items())
def test_measured_lanes_agree_with_the_result_file(result, label, lane):
    speed, length, same, of = re.search(
        rf"^\| {label} \| (\S+) \| (\S+) \| (\d+) of (\d+) \|$", README, re.M
    ).groups()
    figures = result["methods"][lane]
    assert speed == f"{figures['decode_tokens_per_second']:.1f}"
    assert length == f"{figures['mean_accepted_length']:.2f}"
    assert (int(same), int(of)) == (figures["identical_to_vanilla"], figures["runs"])


@pytest.mark.parametrize(
    ("label", "pair"),
    [
        ("EAGLE over vanilla", "eagle_vs_vanilla"),
        ("EAGLEY over vanilla", "eagley_vs_vanilla"),
        ("EAGLEY over EAGLE, same cost model", "eagley_vs_eagle"),
    ],
)
def test_measured_ratios_agree_with_the_result_file(result, label, pair):
    told = "{median:.2f} ({low:.2f} to {high:.2f})".format(**result["speedup"][pair])
    assert f"| {label} | {told} |" in README


def test_every_file_of_the_reading_order_exists():
    listing = README.split("## Reading order")[1].split("```")[1]
    named = re.findall(r"[\w/]+\.py", listing)
    files = {path.name for path in ROOT.rglob("*.py")}
    assert named
    assert not [name for name in named if name not in files]


MEASURED = README.split("\n## Measured\n")[1].split("\n## ")[0]
NAMED = re.findall(r"(?:assets/results/)?([\w-]+\.json)", MEASURED)


def figures_of(part: object) -> set[float]:
    """Every number of a result but those of single runs."""
    if isinstance(part, dict):
        parts = [value for name, value in part.items() if name != "rows"]
        return set().union(*map(figures_of, parts))
    if isinstance(part, list):
        return set().union(*map(figures_of, part))
    return {part} if isinstance(part, int | float) and not isinstance(part, bool) else set()


def test_every_result_that_is_named_is_shipped():
    assert NAMED
    assert not [name for name in NAMED if not (ROOT / "assets/results" / name).is_file()]


def test_every_measured_decimal_is_a_figure_of_a_named_result():
    files = [ROOT / "assets/results" / name for name in NAMED]
    known = set().union(*(figures_of(json.loads(file.read_text("utf-8"))) for file in files))
    told = re.findall(r"(?<![\d.])(\d+\.\d+)(?![\d.]*/)( %)?", MEASURED)
    assert len(told) > 10
    for number, percent in told:
        digits, scale = len(number.partition(".")[2]), 100 if percent else 1
        assert number in {f"{scale * figure:.{digits}f}" for figure in known}, number


def test_counts_of_questions_and_categories_are_those_of_the_result(result):
    questions = {row["question_id"] for row in result["rows"]}
    assert f"{len(questions)} questions" in MEASURED
    assert f"of its {len(result['by_category'])} categories" in MEASURED
    assert f"{max(row['new_tokens'] for row in result['rows'])} tokens each" in MEASURED


def test_what_is_told_of_gains_follows_from_the_result(result):
    eagle, eagley = (
        {q["question_id"]: q["mean_accepted_length"] for q in result["rows"] if q["lane"] == lane}
        for lane in ("eagle", "eagley")
    )
    longer = 100 * (median(eagley[name] / eagle[name] for name in eagle) - 1)
    faster = 100 * (result["speedup"]["eagley_vs_eagle"]["median"] - 1)
    told = f"accepted length grows by {longer:.0f} % and the speed by {faster:.0f} % in the median"
    assert told in " ".join(MEASURED.split())


def test_the_prior_was_fitted_on_other_questions_than_the_reported(result):
    prior = json.loads((ROOT / "assets/head/prior.json").read_text(encoding="utf-8"))
    assert len(prior["questions"]) == prior["prompts"]
    assert not set(prior["questions"]) & {row["question_id"] for row in result["rows"]}
