"""Where time went, ranks, reuse flow, estimates and internals: by hand, and bounded."""

from dataclasses import replace

import pytest
from tiny_trace import long_trace

from components import theme
from components.chart_tables import (
    age_table,
    delta_table,
    error_table,
    estimate_table,
    flow_table,
    rank_table,
    similarity_table,
    time_table,
)
from components.charts import CHARTS, chart
from components.figures.delta import delta
from components.figures.depth_rank import KEPT, Cell, by_depth_and_rank, depth_rank
from components.figures.estimate import Outcome, estimate, results
from components.figures.inside import GAP, layer_error, sheet, worst
from components.figures.reuse_flow import Flow, Kind, flows, reuse_flow
from components.figures.similarity import similarity
from components.figures.stale_age import stale_age
from components.figures.where_time_went import PARTS, spent, where_time_went
from components.selection import Comparison
from eagley_core.internals import AgeError, DeltaErrors, Internals
from eagley_core.metrics import Ratio
from eagley_core.trace import Estimate

INSIDE = Internals(
    first=1,
    key_errors=((0.0, 0.1, 0.0), (0.0, 1.0, 0.01)),
    value_errors=((0.0, 0.0, 0.0), (0.0, 0.2, 0.0)),
    attention_errors=((0.0, 0.0, 0.0), (0.0, 0.3, 0.4)),
    kl=(0.0, 0.2, 0.1),
    flips=(False, True, False),
    ages=(AgeError(1, 2, 0.5, 1, 0.3), AgeError(2, 1, 0.25, 0, 0.1)),
    deltas=(DeltaErrors(1, 0.8, 0.4, 0.0),),
    layer_similarity=(0.1, 0.9),
    draft_similarity=(0.6, 0.5),
)


def alone(trace):
    return Comparison("one", (trace,))


@pytest.fixture
def watched(tiny):
    return alone(replace(tiny, internals=INSIDE))


def words_of(figure):
    return figure.layout.annotations[0].text


def test_time_adds_up(tiny, sample):
    own = spent(tiny)
    parts = {"prefill": 0.053, "draft": 0.01, "verify": 0.05, "accept": 0.001, "commit": 0.002}
    assert own.parts == pytest.approx(parts | {"between steps": 0.047})
    assert own.tokens == 3
    assert sum(own.per_token.values()) == pytest.approx(0.021)
    bars = [bar for bar in where_time_went(sample).data if bar.type == "bar"]
    assert [bar.name for bar in bars] == list(PARTS)
    for lane, trace in enumerate(sample.traces):
        assert sum(bar.x[lane] for bar in bars) == pytest.approx(1000 * trace.seconds, abs=0.01)
        assert sum(bar.customdata[lane] for bar in bars) == pytest.approx(1)


def test_a_run_of_the_prefill_alone_has_no_time_per_token(tiny):
    short = replace(tiny, steps=tiny.steps[:1], output_ids=(1,), pieces=("The",))
    assert spent(short).per_token == {}
    assert "per token" not in where_time_went(alone(short)).data[-1].text[0]


def test_ranks_by_hand(tiny):
    # Node 3 was not reached: its parent is off the path. Node 2 was not drafted.
    assert by_depth_and_rank(tiny) == {
        Cell(1, 1): Ratio(1, 1),
        Cell(1, 2): Ratio(0, 1),
        Cell(2, KEPT): Ratio(1, 1),
    }
    heat = depth_rank(alone(tiny), "eagley").data[0]
    assert [list(row) for row in heat.z] == [[1, 0, None], [None, None, 1]]
    assert list(heat.text[0]) == ["100%<br>1/1", "0%<br>0/1", ""]


def test_the_shares_of_a_depth_add_up_to_its_acceptance(sample):
    for trace in sample.traces[1:]:
        found = by_depth_and_rank(trace)
        won = sum(len(step.accepted) for step in trace.decode_steps)
        assert sum(ratio.hits for ratio in found.values()) == won


def test_flow_by_hand(tiny):
    assert flows(tiny) == {Flow(0, 1, Kind("recycled", False), True): 1}
    assert flows(replace(tiny, turn=1)) == {}  # the row is of another turn
    (line, points) = reuse_flow(alone(tiny)).data
    assert (points.x, points.y) == ((1,), (0,))
    assert points.marker.symbol == "circle"
    assert points.name == "recycled from rows that stayed: 1 of 1 accepted"
    assert points.meta["pick"] == {"method": "eagley", "step": "x", "depth": None}


def test_flow_marks_what_was_rejected_and_what_was_not_accepted(sample):
    figure = reuse_flow(sample)
    symbols = {trace.marker.symbol for trace in figure.data[1:]}
    assert symbols == {"circle", "circle-open", "square", "square-open"}
    drawn = sum(sum(trace.customdata) for trace in figure.data[1:])
    assert drawn == flows(sample.lanes["eagley"]).total()
    named = [trace.name for trace in figure.data[1:] if trace.showlegend]
    assert len(named) == len(set(named))


def test_expectations_by_hand(tiny):
    step = replace(tiny.steps[1], estimate=Estimate(2.0, 0.02, 0.04))
    trace = replace(tiny, steps=(tiny.steps[0], step))
    assert results(trace) == [Outcome(1, 2.0, 3, pytest.approx(0.06), pytest.approx(0.06))]
    expected, happened, *times = estimate(alone(trace)).data
    assert (expected.y, happened.y) == ((2,), (3,))
    assert [line.yaxis for line in times] == ["y2", "y2"]


def test_sums_end_at_the_totals(sample):
    happened = [line for line in estimate(sample).data if line.name == "EAGLEY, happened"][0]
    steps = sample.lanes["eagley"].decode_steps
    assert happened.y[-1] == sum(len(s.path_ids) for s in steps if s.estimate)


def test_errors_lie_in_bands_and_exact_ones_are_blank():
    found = sheet(INSIDE)
    assert found.together == 1
    assert len(found.lines) == 3 * (GAP + 2)
    assert found.lines[GAP : GAP + 2] == [[None, 0.1, None], [None, 1.0, 0.01]]
    assert [at for at, _ in found.titles] == [GAP - 1, 2 * GAP + 1, 3 * GAP + 3]


def test_errors_are_picked_and_followed_by_the_pass_that_made_the_row(watched):
    figure = layer_error(watched)
    assert list(figure.data[0].customdata[0]) == [1, 1, 1]
    assert figure.data[0].x0 == 1
    assert figure.layout.meta["follow"]["eagley"]["boxes"][1][:2] == [0.5, 3.5]
    assert list(figure.data[0].z[GAP + 1]) == [None, 0.0, -2.0]


def test_the_lane_with_the_largest_error_is_shown(tiny):
    calm = replace(INSIDE, key_errors=((0.0,) * 3,) * 2, value_errors=((0.0,) * 3,) * 2)
    lanes = (replace(tiny, internals=INSIDE), replace(tiny, internals=calm))
    assert worst(Comparison("two", lanes)) == "eagley"
    assert worst(Comparison("two", lanes[::-1])) == "eagley-2"


def test_the_other_internals_by_hand(watched):
    layers, depths = similarity(watched).data
    assert (layers.x, layers.y, depths.x, depths.y) == ((0, 1), (0.1, 0.9), (1, 2), (0.6, 0.5))
    assert [bar.x for bar in delta(watched).data] == [(0.8,), (0.4,), (0.0,)]
    kl, error = stale_age(watched).data
    assert (kl.x, kl.y, error.y) == ((1, 2), (0.5, 0.25), (0.3, 0.1))


@pytest.mark.parametrize("draw", [layer_error, similarity, delta, stale_age])
def test_without_internals_a_chart_says_how_to_record_them(sample, draw):
    assert "--internals" in words_of(draw(sample))


def test_charts_with_nothing_to_show_say_so(sample):
    vanilla = sample.only(["vanilla"])
    assert "stored guess" in words_of(reuse_flow(vanilla))
    assert "cost model" in words_of(estimate(vanilla))
    bare = replace(INSIDE, ages=(), deltas=())
    lane = alone(replace(sample.lanes["eagley"], internals=bare))
    assert "stale rows" in words_of(stale_age(lane))
    assert "fit the target" in words_of(delta(lane))


def test_tables_by_hand(watched, tiny):
    assert time_table(alone(tiny)).iloc[1].tolist() == ["EAGLEY", "draft", 10.0, 0.0613, 3.333]
    assert rank_table(watched).iloc[-1].tolist() == ["EAGLEY", 2, "not drafted", 1, 1, 1.0]
    assert flow_table(watched).iloc[0].tolist() == ["EAGLEY", 0, 1, "recycled", "no", "yes", 1]
    assert estimate_table(watched).empty
    assert error_table(watched).iloc[1].tolist() == ["EAGLEY", "keys", 1, 0.3367, 1.0]
    assert len(similarity_table(watched)) == 4
    assert delta_table(watched).iloc[0].tolist() == ["EAGLEY", 1, 0.8, 0.4, 0.0]
    assert age_table(watched).iloc[0].tolist() == ["EAGLEY", 1, 2, 0.5, 1, 0.3]


@pytest.mark.parametrize("name", CHARTS)
def test_a_thousand_steps_stay_small(name):
    trace, length = long_trace(1000), 3 * 999
    rows = tuple((0.1,) * length for _ in range(30))
    inside = replace(
        INSIDE,
        key_errors=rows,
        value_errors=rows,
        attention_errors=rows,
        kl=(0.1,) * length,
        flips=(False,) * length,
    )
    figure = chart(alone(replace(trace, internals=inside)), name)["figure"]
    if figure:
        assert len(str(figure)) < 2_500_000
        cells = [len(t["z"]) * len(t["z"][0]) for t in figure["data"] if "z" in t]
        assert all(count <= 200_000 for count in cells)


def test_every_colour_has_a_dark_twin(watched, sample):
    drawn = [draw(watched) for draw in (layer_error, similarity, delta, stale_age)]
    drawn += [where_time_went(sample), reuse_flow(sample), estimate(sample)]
    text = "".join(figure.to_json() for figure in drawn) + depth_rank(sample, "eagle").to_json()
    colours = {text[i : i + 7] for i, c in enumerate(text) if c == "#"}
    assert colours <= set(theme.DARK_TWINS)
