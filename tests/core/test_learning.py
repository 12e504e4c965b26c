"""What a run learns as it goes: calibration, pace, costs."""

import pytest
import torch

from eagley_core.admission import admit
from eagley_core.busy import Load
from eagley_core.calibration import PRIOR_WEIGHT, Calibration
from eagley_core.costs import CACHED_ROWS, MAX_ROWS, Costs
from eagley_core.measuring import LEAST, REPEATS, _filled, _slopes, _timed, measured, rising
from eagley_core.pace import LOOK_EVERY, Pace, Thrift
from eagley_core.prior import Evidence, Prior
from tests.core.tiny import tiny_draft, tiny_target

DRAFT = Evidence(1, 0.5, True, "", None)
PRIOR = Prior({DRAFT.family: (0.0, 1.0, 0.0, 0.0)})  # what the draft says is taken as it is


def test_before_anything_is_seen_the_prior_counts():
    assert Calibration(PRIOR).probability(DRAFT) == pytest.approx(0.5)


def test_hits_and_misses_move_the_estimate_by_their_weight():
    found = Calibration(PRIOR)
    found.learn([(DRAFT, True), (DRAFT, True), (DRAFT, False)])
    assert found.probability(DRAFT) == pytest.approx((2 + PRIOR_WEIGHT * 0.5) / (3 + PRIOR_WEIGHT))


def test_many_outcomes_outweigh_the_prior():
    found = Calibration(PRIOR)
    found.learn([(DRAFT, index % 4 == 0) for index in range(8000)])
    assert found.probability(DRAFT) == pytest.approx(0.25, abs=0.002)


def test_families_and_prior_figures_are_learnt_apart():
    found, fresh = Calibration(PRIOR), Calibration(PRIOR)
    found.learn([(DRAFT, True)] * 100)
    for other in (
        DRAFT._replace(kind="recycled-2", stored=0.5),
        DRAFT._replace(kind="recycled-2"),
        DRAFT._replace(draft=0.05),
        DRAFT._replace(is_coupled=True),
    ):
        assert found.probability(other) == fresh.probability(other)


@pytest.mark.parametrize("probability", [0.0, 1e-30, 1e-9, 0.3, 1.0, 1.0000001])
def test_a_value_is_a_probability_whatever_was_seen(probability):
    evidence = Evidence(9, probability, True, "recycled-1", probability)
    for outcome in (True, False):
        found = Calibration()
        found.learn([(evidence, outcome)] * 50)
        assert 0 <= found.probability(evidence) <= 1


def test_pace_starts_within_the_deepest():
    assert [Pace(deepest).depth for deepest in (1, 2, 3, 9)] == [1, 2, 3, 3]


def test_pace_settles_on_the_best_rate_and_looks_deeper_now_and_then():
    pace, rates = Pace(6), {1: 1.0, 2: 1.4, 3: 1.2, 4: 1.1, 5: 1.0, 6: 0.9}
    depths = []
    for _ in range(4 * LOOK_EVERY):
        pace.note({depth: rates[depth] for depth in range(1, pace.depth + 1)})
        depths.append(pace.depth)
    assert set(depths) == {2, 3}
    assert depths.count(3) == 4


def test_pace_goes_deeper_while_that_pays_and_never_beyond_the_deepest():
    pace = Pace(5)
    for _ in range(10):
        pace.note({depth: float(depth) for depth in range(1, pace.depth + 1)})
    assert pace.depth == 5


def test_pace_follows_a_change():
    pace = Pace(4)
    for _ in range(20):
        pace.note({depth: float(depth) for depth in range(1, pace.depth + 1)})
    for _ in range(40):
        pace.note({depth: 1.0 / depth for depth in range(1, pace.depth + 1)})
    assert pace.depth in (1, 2)


def test_costs_between_measured_row_counts_are_interpolated_and_never_fall():
    filled = _filled({1: 1.0, 2: 3.0, 4: 5.0, 8: 4.0, MAX_ROWS: 60.0})
    assert filled[:9] == (0.0, 1.0, 3.0, 3.75, 4.5, 4.5, 4.5, 4.5, 4.5)
    assert list(filled) == sorted(filled)
    assert len(filled) == MAX_ROWS + 1


def test_a_rising_sequence_by_hand():
    assert rising([1, 2, 5]) == [1, 2, 5]
    assert rising([3, 2, 1, 9, 8]) == [2, 2, 2, 8.5, 8.5]
    assert rising([]) == []


def test_drafting_costs_one_feed_and_a_level_less_than_its_depth():
    costs = Costs((), feed=3.0, extend=2.0)
    assert [costs.draft_seconds(depth) for depth in (0, 1, 2, 4)] == [0, 3, 5, 9]


def test_a_pass_behind_more_cached_rows_costs_more_by_its_rows():
    verify = tuple(1.0 + n for n in range(MAX_ROWS + 1))
    costs = Costs(verify, 0.0, 0.0, tuple(0.01 * n for n in range(MAX_ROWS + 1)))
    assert costs.behind(CACHED_ROWS + 63).verify == verify
    assert costs.behind(CACHED_ROWS + 640).verify[:3] == (1.0, 2 + 6.4, 3 + 12.8)
    assert costs.behind(0).verify[2] == 1.5  # half of it at least
    assert Costs(verify, 0.0, 0.0).behind(9999).verify == verify


def test_what_a_cached_row_adds_never_falls_with_the_rows_of_the_pass():
    assert _slopes((0, 1, 2, 3), (0, 5, 4, 9), 2) == (0.0, 1.5, 1.5, 3.0)
    assert _slopes((0, 1, 2), (0, 0, 5), 2) == (0.0, 0.0, 1.5)


@pytest.mark.parametrize(("seconds", "rounds"), [(0.1, REPEATS), (60.0, LEAST)])
def test_slow_passes_are_timed_in_fewer_rounds(monkeypatch, seconds, rounds):
    monkeypatch.setattr("eagley_core.measuring._seconds", lambda work, device: work() or seconds)
    passes, run = [(1, 8), (4, 8)], []
    found = _timed(lambda *one: run.append(one), passes, torch.device("cpu"))
    assert found == {(1, 8): seconds, (4, 8): seconds}
    assert run == [(1, 8), *passes * rounds]


IDLE, BUSY = Load(0.01, 0.1, 2), Load(0.9, 4.0, 2)


def test_costs_that_were_measured_on_a_busy_machine_are_not_kept(tmp_path):
    measured(tiny_target(max_position_embeddings=16), None, True, tmp_path, lambda: BUSY)
    assert list(tmp_path.iterdir()) == []


def test_costs_are_measured_once_and_kept(tmp_path, monkeypatch):
    target = tiny_target()
    draft = tiny_draft(target)
    target.capture(draft.state_ids)
    first = measured(target, draft, True, tmp_path, lambda: IDLE)
    assert len(first.verify) == MAX_ROWS + 1
    assert min(first.verify[1], first.feed, first.extend) > 0
    monkeypatch.setattr("eagley_core.measuring.measure", None)
    assert measured(target, draft, True, tmp_path) == first


@pytest.mark.parametrize("content", ["", "{", "[]", '{"verify": []}', '{"verify": 3, "feed": 1}'])
def test_a_damaged_file_of_costs_is_measured_again(tmp_path, content):
    target = tiny_target(max_position_embeddings=16)
    first = measured(target, None, True, tmp_path, lambda: IDLE)
    (file,) = tmp_path.iterdir()
    file.write_text(content)
    again = measured(target, None, True, tmp_path, lambda: IDLE)
    assert len(again.verify) == len(first.verify)
    assert measured(target, None, True, tmp_path) == again


VERIFY = tuple(1.0 + max(0, n - 8) / 16 for n in range(MAX_ROWS + 1))
COSTS = Costs(VERIFY, feed=0.2, extend=0.2)


def test_a_step_that_promises_enough_by_itself_is_not_drafted():
    thrift = Thrift()
    sure, poor = admit([0.99] * 6, 0.0, COSTS.verify), admit([0.2], 0.0, COSTS.verify)
    assert thrift.skips(sure, 3, COSTS)
    assert not thrift.skips(poor, 3, COSTS)


def test_a_step_is_drafted_again_where_drafting_was_seen_to_add_much():
    thrift = Thrift()
    sure = admit([0.99] * 6, 0.0, COSTS.verify)
    for _ in range(60):
        thrift.note(sure, admit([0.99] * 18, 1.5, COSTS.verify))
    assert not thrift.skips(sure, 3, COSTS)


def test_even_a_sure_step_is_drafted_now_and_then():
    thrift, sure = Thrift(), admit([0.99] * 6, 0.0, COSTS.verify)
    found = [thrift.skips(sure, 3, COSTS) for _ in range(3 * LOOK_EVERY)]
    assert found.count(False) == 3
