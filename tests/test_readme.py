"""What the README says is what the project ships."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LANES = {"vanilla": "vanilla", "EAGLE": "eagle", "EAGLEY": "eagley"}


@pytest.fixture(scope="module")
def result() -> dict:
    return json.loads((ROOT / "assets/results/spec-bench-65.json").read_text(encoding="utf-8"))


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
