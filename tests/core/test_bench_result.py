"""From hand-made rows to a result."""

from eagley_core.bench_result import result_of
from eagley_core.drift import drift
from eagley_core.statistics import medians_ratio


def row(lane: str, question: str, speed: float | None, **changes) -> dict:
    return {
        "lane": lane,
        "engine": "eagley_core",
        "question_id": question,
        "category": "a",
        "repeat": 0,
        "turn": 0,
        "at": 0.0,
        "decode_tokens_per_second": speed,
        "call_tokens_per_second": speed and speed / 2,
        "mean_accepted_length": 1.0,
        "acceptance_rate": None,
        "identical_to_vanilla": True,
        "difference": None,
        "differing_tokens": 0,
        "environment": {"device": "cpu"},
        "observed": None,
    } | changes


def peer(question: str, call_speed: float, **changes) -> dict:
    speeds = {"engine": "transformers", "call_tokens_per_second": call_speed}
    return row("generate", question, 100.0, **speeds, **changes)


def parted(position: int, is_tie: bool) -> dict:
    difference = {"position": position, "margin": 0.5, "is_tie": is_tie}
    return {"identical_to_vanilla": False, "difference": difference, "differing_tokens": 3}


ROWS = [
    row("vanilla", "1", 10.0),
    row("vanilla-fast", "1", 20.0),
    row("eagle", "1", 30.0),
    row("eagley", "1", 60.0),
    peer("1", 10.0, **parted(4, True)),
    row("vanilla", "2", 10.0),
    row("vanilla-fast", "2", 20.0),
    row("eagle", "2", 50.0),
    row("eagley", "2", 40.0),
    peer("2", 5.0, **parted(2, False)),
]


def test_speed_ups_are_against_the_faster_vanilla_and_paired_by_prompt():
    found = result_of(ROWS)
    assert found["vanilla_used"] == "fast"
    assert [r["ratio"] for r in found["ratios"]["eagley_vs_vanilla"]] == [3.0, 2.0]
    assert [r["ratio"] for r in found["ratios"]["eagley_vs_eagle"]] == [2.0, 0.8]
    assert found["speedup"]["eagle_vs_vanilla"]["median"] == 2.0
    assert [r["question_id"] for r in found["ratios"]["eagley_vs_eagle"]] == ["1", "2"]


def test_a_peer_is_compared_by_whole_calls():
    found = result_of(ROWS)
    assert [r["ratio"] for r in found["ratios"]["eagley_vs_generate"]] == [3.0, 4.0]
    assert [r["ratio"] for r in found["ratios"]["vanilla-fast_vs_generate"]] == [1.0, 2.0]
    assert found["best_peer"] == "generate"
    assert "generate_vs_vanilla" not in found["speedup"]
    assert "generate_vs_eagle" not in found["speedup"]


def test_equality_counts_ties_apart():
    figures = result_of(ROWS)["methods"]
    assert (figures["eagley"]["identical_to_vanilla"], figures["eagley"]["compared"]) == (2, 2)
    assert (figures["generate"]["identical_to_vanilla"], figures["generate"]["ties"]) == (0, 1)
    assert [d["position"] for d in figures["generate"]["differences"]] == [4, 2]


def test_a_lane_without_speed_is_no_pair():
    found = result_of([row("vanilla", "1", 10.0), row("eagle", "1", None)])
    assert found["ratios"]["eagle_vs_vanilla"] == []
    assert found["speedup"]["eagle_vs_vanilla"]["median"] is None
    assert found["methods"]["eagle"]["intervals"]["decode_tokens_per_second"]["low"] is None


def test_rows_keep_what_is_raw_and_leave_the_machine_out():
    found = result_of(ROWS)
    assert len(found["rows"]) == len(ROWS)
    assert "environment" not in found["rows"][0]
    assert found["environment"] == {"device": "cpu"}


def test_drift_compares_the_last_third_in_time_with_the_first():
    speeds = [10.0, 10.0, 7.0, 7.0, 20.0, 20.0]
    runs = [row("vanilla", "1", s, at=float(n)) for n, s in enumerate(speeds)]
    found = drift(list(reversed(runs)))
    assert (found["first"]["median"], found["last"]["median"]) == (10.0, 20.0)
    assert found["ratio"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert drift(runs[:5]) is None


def test_a_ratio_of_medians_holds_its_median():
    found = medians_ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert found.low <= found.median == 2.0 <= found.high
    assert medians_ratio([], [1.0]) == (None, None, None)
    assert medians_ratio([1.0], [0.0]).median is None
