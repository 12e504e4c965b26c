"""The ablation's figure and its table twin, from a made-up result."""

import pytest

from components.ablation_table import COLUMNS, ablation_table
from components.figures.ablation import ablation, label, shown

RUNGS = ("vanilla", "eagle-fixed", "eagle", "recycled", "ngram")


def interval(middle: float | None) -> dict:
    if middle is None:
        return {"median": None, "low": None, "high": None}
    return {"median": middle, "low": middle - 0.1, "high": middle + 0.2}


def part(gain: float | None) -> dict:
    over = {"eagle-fixed": 0.8, "recycled": gain, "ngram": 1.0}
    speedup = {f"{rung}_vs_eagle": interval(middle) for rung, middle in over.items()}
    speedup |= {f"{rung}_vs_vanilla": interval(1.5) for rung in RUNGS[1:]}
    figures = {
        "decode_tokens_per_second": 40.0,
        "mean_accepted_length": 1.9,
        "identical_to_vanilla": 3,
        "runs": 3,
    }
    reuse = {
        "returned": {"only": {"value": 0.25, "hits": 1, "tested": 4}},
        "rejected_share": {"value": 0.5, "hits": 1, "tested": 2},
        "oracle": {"added_per_step": 0.75},
    }
    return {
        "methods": dict.fromkeys(RUNGS, figures),
        "speedup": speedup,
        "reuse": {"recycled": reuse},
    }


@pytest.fixture
def result() -> dict:
    settings = {"store": "cold", "tuning": {"chosen": "auto"}, "rungs": dict.fromkeys(RUNGS, {})}
    return part(1.2) | settings | {"warm": part(1.3)}


def test_the_rungs_come_in_the_ladders_order(result):
    assert shown(result, "eagle") == ["eagle-fixed", "recycled", "ngram"]
    assert shown(result, "vanilla") == ["eagle-fixed", "eagle", "recycled", "ngram"]
    assert [label(rung) for rung in ("recycled:rejected", "ngram", "all")] == [
        "+ recycled:rejected",
        "control: ngram",
        "all",
    ]


def test_marks_are_medians_with_their_intervals_by_store(result):
    cold, warm = ablation(result).data
    assert list(cold.y) == ["EAGLE, fixed tree", "+ recycled", "control: ngram"]
    assert (cold.x[1], warm.x[1]) == (1.2, 1.3)
    assert cold.error_x.array[1] == pytest.approx(0.2)
    assert cold.error_x.arrayminus[1] == pytest.approx(0.1)
    assert cold.marker.symbol != warm.marker.symbol


def test_the_figure_is_described_and_its_axis_named(result):
    figure = ablation(result, "vanilla")
    assert "+ recycled 1.50 (cold)" in figure.layout.meta["alt"]
    assert "over vanilla" in figure.layout.xaxis.title.text


def test_an_unknown_speed_up_is_left_out(result):
    result["speedup"]["recycled_vs_eagle"] = interval(None)
    assert "+ recycled" not in ablation(result).data[0].y
    assert "+ recycled 1.30 (warm)" in ablation(result).layout.meta["alt"]


def test_the_table_says_what_the_figure_says(result):
    table = ablation_table(result)
    assert list(table.columns) == COLUMNS
    assert len(table) == 2 * len(RUNGS)
    row = table[(table.store == "warm") & (table.rung == "+ recycled")].iloc[0]
    assert (row["over EAGLE"], row["low"], row["high"]) == (1.3, 1.2, 1.5)
    assert (row["came back"], row["from rejected"], row["oracle adds per step"]) == (
        0.25,
        0.5,
        0.75,
    )
    assert row["identical"] == "3/3"


def test_another_result_is_refused():
    with pytest.raises(ValueError, match="not a result of ablate"):
        ablation({"methods": {}})
