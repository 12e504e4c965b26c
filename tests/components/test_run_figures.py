"""Timeline, tokens over time, acceptance and provenance of whole runs."""

from dataclasses import replace

import pytest
from tiny_trace import long_trace

from components import theme
from components.figures.acceptance import (
    OUTCOMES,
    acceptance,
    discrete,
    outcomes,
)
from components.figures.lane_looks import drawn_labels
from components.figures.provenance import MOST, drawn_grid, line, provenance
from components.figures.timeline import timeline
from components.figures.tokens_over_time import tokens_over_time
from components.selection import Comparison
from eagley_core.trace import CacheRun


def alone(trace):
    return Comparison("one", (trace,))


def picked(figure):
    return [trace.meta["pick"] for trace in figure.data if trace.meta]


def test_phases_follow_each_other(tiny):
    bars = {bar.name: bar for bar in timeline(alone(tiny)).data}
    named = sorted(bars, key=lambda name: bars[name].legendrank)
    assert named == ["draft", "verify", "accept", "commit"]
    assert [bars[name].base[-1] for name in named] == pytest.approx([100, 110, 160, 161])


def test_timeline_has_a_bar_per_phase_of_every_step(sample):
    figure = timeline(sample)
    verify = next(bar for bar in figure.data if bar.name == "verify")
    assert len(verify.x) == sum(len(trace.steps) for trace in sample.traces)
    assert verify.customdata[0] == ["vanilla", 0]
    assert set(verify.y) == {"Vanilla", "EAGLE", "EAGLEY"}
    assert {bar.marker.pattern.shape for bar in figure.data} == {"/", "", "x", "."}


def test_timeline_is_in_milliseconds(tiny):
    figure = timeline(alone(tiny))
    draft = next(bar for bar in figure.data if bar.name == "draft")
    assert (draft.base[0], draft.x[0]) == pytest.approx((100, 10))


def test_timeline_says_what_a_click_picks_and_where_a_step_is(sample):
    figure = timeline(sample)
    assert picked(figure) == [{"method": None, "step": "custom", "depth": None}] * 4
    follow = figure.layout.meta["follow"]
    for row, trace in enumerate(reversed(sample.traces)):
        boxes = follow[trace.config.method]["boxes"]
        assert len(boxes) == len(trace.steps)
        step = trace.steps[-1]
        ends = [1000 * step.started, 1000 * (step.started + step.seconds), row - 0.36, row + 0.36]
        assert boxes[-1] == pytest.approx(ends, abs=0.01)


def test_a_long_timeline_sums_steps_and_loses_no_time(tiny):
    trace = long_trace(1001)
    bars = timeline(alone(trace)).data
    verify = next(bar for bar in bars if bar.name == "verify")
    assert len(verify.x) == 167  # six steps each
    assert sum(verify.x) == pytest.approx(1000 * sum(s.verify_seconds for s in trace.steps))
    assert verify.customdata[1] == ["eagley", 6]
    assert verify.hovertext[1].startswith("steps 6 to 11")


def test_stairs_end_at_the_output_length(sample):
    for stair, trace in zip(tokens_over_time(sample).data, sample.traces, strict=True):
        assert stair.y[-1] == len(trace.output_ids)
        assert stair.line.dash == theme.LANE_DASHES[trace.config.method]


def test_a_stair_is_picked_and_boxed_step_by_step(tiny):
    figure = tokens_over_time(alone(tiny))
    assert picked(figure) == [{"method": "eagley", "step": "custom", "depth": None}]
    assert figure.data[0].customdata == (0, 0, 1)
    assert figure.layout.meta["follow"]["eagley"]["boxes"] == [[0, 53, 0, 1], [100, 163, 1, 4]]


def test_outcomes_by_hand(tiny):
    assert outcomes(tiny.steps[1]) == ("draft", "recycled")


def test_acceptance_leaves_a_gap_where_the_tree_did_not_reach(sample):
    trace = sample.lanes["eagle"]
    cells = acceptance(sample, "eagle").data[0]
    short = next(i for i, s in enumerate(trace.decode_steps) if len(outcomes(s)) < len(cells.y))
    assert cells.z[-1][short] is None
    assert cells.text[-1][short] == ""


def test_acceptance_letters_match_the_colours(sample):
    cells = acceptance(sample, "eagley").data[0]
    letters = [letter for *_, letter in OUTCOMES.values()]
    for codes, texts in zip(cells.z, cells.text, strict=True):
        assert all(
            text == (letters[code] if code is not None else "")
            for code, text in zip(codes, texts, strict=True)
        )


def test_cells_are_picked_and_steps_followed_along_an_axis(tiny):
    levels, rows = acceptance(alone(tiny), "eagley"), provenance(alone(tiny), "eagley")
    assert picked(levels) == [{"method": "eagley", "step": "x", "depth": "y"}]
    assert levels.layout.meta["follow"] == {"eagley": {"axis": "x"}}
    assert picked(rows) == [{"method": "eagley", "step": "y", "depth": None}]
    assert rows.layout.meta["follow"] == {"eagley": {"axis": "y"}}


def test_long_runs_have_no_letters(tiny):
    assert acceptance(alone(tiny), "eagley").data[0].texttemplate
    assert acceptance(alone(long_trace(200)), "eagley").data[0].texttemplate is None


def test_discrete_bands_meet_half_way():
    scale = discrete(["draft", "bonus", "rejected"])
    assert [edge for edge, _ in scale] == [0, 0.25, 0.25, 0.75, 0.75, 1]


def test_provenance_line_by_hand(tiny):
    shown = [run and run.provenance for run in line(tiny.steps[1], 0, 7)]
    assert shown == ["prefill", *["verified"] * 3, *["dropped"] * 2, None]


def test_provenance_has_a_line_per_step_and_a_key_for_what_occurs(tiny):
    figure = provenance(alone(tiny), "eagley")
    assert len(figure.data[0].z) == 2
    assert [t.name for t in figure.data[1:]] == ["prefill", "verified", "dropped"]


def test_a_long_provenance_is_summed_up_and_keeps_what_is_rare(tiny):
    trace, rare = long_trace(1000), CacheRun(1500, 1501, "stale", age=2)
    steps = [
        replace(step, cache=(CacheRun(0, 1, "prefill"), CacheRun(1, 3000, "kept")))
        for step in trace.steps
    ]
    steps[700] = replace(steps[700], cache=(*steps[700].cache[:1], rare))
    grid = drawn_grid(replace(trace, steps=tuple(steps)))
    assert len(grid.rows) <= MOST
    assert {len(row) for row in grid.rows} == {231}  # 13 positions each
    where = [(y, x) for y, row in enumerate(grid.rows) for x, run in enumerate(row) if run is rare]
    assert where == [(700 // grid.steps, 1500 // grid.positions)]


@pytest.mark.parametrize("draw", [acceptance, provenance])
def test_vanilla_can_be_drawn_too(sample, draw):
    assert "NaN" not in draw(sample, "vanilla").to_json()


def test_every_colour_has_a_dark_twin(sample):
    figures = [timeline(sample), tokens_over_time(sample), acceptance(sample, "eagley")]
    text = "".join(figure.to_json() for figure in figures)
    colours = {text[i : i + 7] for i, c in enumerate(text) if c == "#"}
    assert colours <= set(theme.DARK_TWINS)


def test_light_and_dark_roles_are_the_same_and_twins_unambiguous():
    assert theme.LIGHT.keys() == theme.DARK.keys()
    assert len(theme.DARK_TWINS) == len(theme.LIGHT)


def test_two_lanes_of_a_method_are_told_apart(tiny):
    twins = Comparison("twins", (tiny, replace(tiny, config=replace(tiny.config, seed=1))))
    stairs = tokens_over_time(twins).data
    assert [s.name for s in stairs] == ["EAGLEY 1: seed 0", "EAGLEY 2: seed 1"]
    assert len({(s.line.color, s.line.dash) for s in stairs}) == 2
    assert [s.meta["pick"]["method"] for s in stairs] == ["eagley", "eagley-2"]
    clock = timeline(twins)
    assert set(clock.data[1].y) == {"EAGLEY 1: seed 0", "EAGLEY 2: seed 1"}
    assert clock.layout.meta["follow"].keys() == {"eagley", "eagley-2"}
    assert picked(acceptance(twins, "eagley-2"))[0]["method"] == "eagley-2"


def test_labels_of_lanes_are_wrapped_and_hold_no_markup(tiny):
    hostile = replace(tiny, draft="<b>a</b> draft with a long name, longer than a line")
    found = drawn_labels(Comparison("two", (tiny, hostile)))
    assert found["eagley"] == "EAGLEY 1: draft draft"
    assert found["eagley-2"].startswith("EAGLEY 2: draft &lt;b&gt;a&lt;/b&gt;")
    assert all(len(part) <= 40 for part in found["eagley-2"].split("<br>"))


def test_lanes_beside_each_other_share_their_depth_axis(sample):
    left, right = (acceptance(sample, lane).layout for lane in ("eagle", "eagley"))
    assert (left.height, left.yaxis.range) == (right.height, right.yaxis.range)
