"""Claims and their rulings on results made by hand."""

import pytest

from components.claims.coupling import coupling
from components.claims.lossless import literal, lossless
from components.claims.peers import peers
from components.claims.places import gain_at
from components.claims.results import Result, Results, pairs, ratios
from components.claims.rulings import UNKNOWN, above, every, share_interval, within
from components.claims.tables import distinct, quality
from eagley_core.statistics import Interval
from eagley_core.sweep import lane_name

HALF = Interval(0.5, 0.4, 0.6)


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [(0.3, "holds"), (0.4, "part"), (0.5, "part"), (0.6, "fails"), (0.7, "fails")],
)
def test_above_a_bound(bound, verdict):
    assert above(HALF, bound).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.3, 0.7, "holds"), (0.5, 0.7, "part"), (0.1, 0.4, "part"), (0.1, 0.3, "fails")],
)
def test_within_a_range(low, high, verdict):
    assert within(HALF, low, high).verdict == verdict
    assert within(UNKNOWN, low, high).verdict == "unmeasured"


def test_several_tests_together():
    assert every([True, None, True]) == "holds"
    assert every([True, False]) == "part"
    assert every([False, None]) == "fails"
    assert every([None]) == every([]) == "unmeasured"


def test_a_share_by_hand():
    """Wilson's interval of 8 in 10, as tables have it."""
    assert share_interval(8, 10) == pytest.approx((0.8, 0.490, 0.943), abs=0.001)
    assert share_interval(0, 10).low == 0
    assert share_interval(0, 0) == UNKNOWN


def rows(lane: str, *speeds: float) -> list[dict]:
    return [
        {"lane": lane, "question_id": str(i), "repeat": 0, "decode_tokens_per_second": speed}
        for i, speed in enumerate(speeds)
    ]


def test_runs_are_paired_by_question():
    data = {"rows": rows("a", 2.0, 6.0, 5.0) + rows("b", 1.0, 2.0)}
    found = ratios(pairs(data, "a", "b"), lambda row: row["decode_tokens_per_second"])
    assert found == [2.0, 3.0]


def run_of_peers(name: str, *medians: float) -> Result:
    """A bench with two of transformers' modes; every interval is 0.1 wide on both sides."""
    pairs_ = ("eagle_vs_generate", "eagley_vs_generate", "eagley_vs_prompt-lookup")
    speedup = {
        pair: {"median": m, "low": m - 0.1, "high": m + 0.1}
        for pair, m in zip(pairs_, medians, strict=True)
    }
    return Result(name, {"best_peer": "prompt-lookup", "speedup": speedup})


def test_transformers_fastest_mode_is_beaten_where_every_interval_lies_above_one():
    told = peers(
        Results(peers=(run_of_peers("a", 1.5, 1.7, 1.3), run_of_peers("b", 1.7, 1.7, 1.22)))
    )
    assert told.ruling.verdict == "holds"
    assert [f.value for f in told.findings] == [
        "1.30 (1.20 to 1.40)",
        "1.22 (1.12 to 1.32)",
        "2 of 3",
    ]
    assert told.table.rows[1] == ("prompt-lookup", "1.30 (1.20 to 1.40)", "1.22 (1.12 to 1.32)")
    told = peers(
        Results(peers=(run_of_peers("a", 1.5, 1.7, 1.3), run_of_peers("b", 1.5, 1.7, 1.05)))
    )
    assert told.ruling.verdict == "part"


def graded(name: str, lanes: dict[str, tuple[int, int]]) -> Result:
    """A suite of 50 questions. lanes: right answers, and answers as vanilla's."""
    accuracy = {
        lane: {
            "correct": right,
            "of": 50,
            "value": right / 50,
            "answers_equal_to_vanilla": equal,
            "compared": 50,
        }
        for lane, (right, equal) in lanes.items()
    }
    data = {"accuracy": accuracy, "methods": accuracy, "speedup": {}, "rows": [{"target": "tiny"}]}
    return Result(name, data)


def test_scores_say_whether_they_can_decide_and_whose_answers_they_are():
    few = {"vanilla": (3, 50), "eagle": (3, 50), "eagley": (3, 50), "eagley[top-k:2]": (4, 20)}
    told = quality(Results(gsm8k=graded("gsm8k-50.json", few)))
    assert told.ruling.verdict == "holds"
    values = {f.label: f.value for f in told.findings}
    assert values["Answers as vanilla's, GSM8K: EAGLEY"] == "50 of 50"
    deciding = values["Right answers of vanilla, GSM8K"]
    assert deciding == "3 of 50 (6.0 %): this model cannot decide the claim"
    own = {row[1]: row[6:9] for row in told.table.rows if row[0] == "tiny"}
    unknown = "not measured here"
    assert own["EAGLEY, rule top-k:2"] == ("4 of 50 (8.0 %)", unknown, unknown)
    other = graded("humaneval-50.json", few | {"eagle": (3, 49)})
    assert quality(Results(humaneval=other)).ruling.verdict == "fails"


def lane_rows(lane: str, **facts) -> list[dict]:
    """Two runs of a lane, the second of which is not vanilla's."""
    more = {"rule": "exact", "acceptance_rate": 0.5} | facts
    return [
        one | more | {"identical_to_vanilla": same, "differing_tokens": n, "new_tokens": 10}
        for one, same, n in zip(rows(lane, 1.0, 2.0), (True, False), (0, 5), strict=True)
    ]


def test_the_seeds_loop_by_hand():
    own = lane_rows("eagley[seed-literal:0.8]", rule="seed-literal:0.8")
    data = {"rows": lane_rows("vanilla") + own}
    claim = literal(Results(others=(Result("seed-literal.json", data),)))
    values = [finding.value for finding in claim.findings]
    assert values[0].startswith("25.0 %") and values[1] == "1 of 2"
    assert claim.ruling.verdict == "fails"


def swept_rates(coupled: float, uncoupled: float) -> Result:
    """A sweep at temperature 1. EAGLE accepts 1.2 and 0.8 tokens a step on both questions."""
    points, found = [], []
    for is_coupled, rate, accepted in ((True, coupled, 1.2), (False, uncoupled, 0.8)):
        at = {"temperature": 1.0, "coupled": is_coupled}
        interval = {"median": rate, "low": rate - 0.05, "high": rate + 0.05}
        own = {
            "intervals": {"acceptance_rate": interval, "mean_accepted_length": interval},
            "identical_to_vanilla": 2,
            "compared": 2,
        }
        points.append({"at": at, "methods": dict.fromkeys(("eagle", "eagley"), own), "speedup": {}})
        runs_ = rows(lane_name("eagle", at), 1.0, 1.0)
        found += [run | {"accepted_draft_tokens_per_step": accepted} for run in runs_]
    data = {"axes": {"temperature": [1.0]}, "points": points, "rows": found}
    return Result("sweep-temperature.json", data)


@pytest.mark.parametrize(("uncoupled", "verdict"), [(0.4, "holds"), (0.52, "fails")])
def test_coupling_by_hand(uncoupled, verdict):
    claim = coupling(Results(temperature=swept_rates(0.6, uncoupled)))
    assert [finding.value for finding in claim.findings] == ["1.50 (1.50 to 1.50)"]
    assert claim.ruling.verdict == verdict
    assert claim.table.rows[0][3].startswith("60.0 %")
    assert claim.table.rows[0][-1] == "2 of 2"
    same = lossless(Results(temperature=swept_rates(0.6, uncoupled)))
    assert same.ruling.verdict == "holds" and len(same.findings) == 4


def test_a_speed_at_a_place():
    point = {"speedup": {"eagle_vs_vanilla": {"median": 1.5, "low": 1.4, "high": 1.6}}}
    sweep = Result("s.json", {"points": [{"at": {"rule": "exact"}, **point}]})
    assert gain_at(sweep, {"rule": "exact"}, "eagle") == "1.50 (1.40 to 1.60)"
    assert gain_at(sweep, {"rule": "top-k:2"}, "eagle") == gain_at(None, {}, "eagle") == "–"


def test_repetition_by_hand():
    assert distinct([1, 2, 3, 4, 1, 2, 3, 4]) == 4 / 5
    assert distinct([7] * 10) == 1 / 7
    assert distinct([1, 2, 3]) is None
