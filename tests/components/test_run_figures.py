"""Timeline, tokens over time, acceptance and provenance of whole runs."""

import pytest

from components import theme
from components.figures.acceptance import (
    OUTCOMES,
    acceptance,
    acceptance_marks,
    discrete,
    outcomes,
)
from components.figures.provenance import line, provenance, provenance_marks
from components.figures.timeline import phases, timeline, timeline_marks
from components.figures.tokens_over_time import tokens_over_time
from components.selection import Comparison, Selection


def test_phases_follow_each_other(tiny):
    found = phases(tiny.steps[1])
    assert [name for name, *_ in found] == ["draft", "verify", "accept", "commit"]
    assert [begin for _, begin, _ in found] == pytest.approx([0.1, 0.11, 0.16, 0.161])


def test_timeline_has_a_bar_per_phase_of_every_step(sample):
    figure = timeline(sample)
    verify = next(bar for bar in figure.data if bar.name == "verify")
    assert len(verify.x) == sum(len(trace.steps) for trace in sample.traces)
    assert verify.customdata[0] == ["vanilla", 0]
    assert set(verify.y) == {"Vanilla", "EAGLE", "EAGLEY"}
    assert {bar.marker.pattern.shape for bar in figure.data} == {"/", "", "x", "."}


def test_timeline_is_in_milliseconds(tiny):
    figure = timeline(Comparison("tiny", (tiny,)))
    draft = next(bar for bar in figure.data if bar.name == "draft")
    assert (draft.base[0], draft.x[0]) == pytest.approx((100, 10))


def test_timeline_frames_the_selected_step_of_each_lane(sample):
    assert len(timeline_marks(sample, Selection(20))) == 3


def test_stairs_end_at_the_output_length(sample):
    for stair, trace in zip(tokens_over_time(sample).data, sample.traces, strict=True):
        assert stair.y[-1] == len(trace.output_ids)
        assert stair.line.dash == theme.LANE_DASHES[trace.config.method]


def test_outcomes_by_hand(tiny):
    assert outcomes(tiny.steps[1]) == ("draft", "recycled")


def test_acceptance_leaves_a_gap_where_the_tree_did_not_reach(sample):
    trace = sample.lanes["eagle"]
    cells = acceptance(trace).data[0]
    short = next(i for i, s in enumerate(trace.decode_steps) if len(outcomes(s)) < len(cells.y))
    assert cells.z[-1][short] is None
    assert cells.text[-1][short] == ""


def test_acceptance_letters_match_the_colours(sample):
    cells = acceptance(sample.lanes["eagley"]).data[0]
    letters = [letter for *_, letter in OUTCOMES.values()]
    for codes, texts in zip(cells.z, cells.text, strict=True):
        assert all(
            text == (letters[code] if code is not None else "")
            for code, text in zip(codes, texts, strict=True)
        )


def test_discrete_bands_meet_half_way():
    scale = discrete(["draft", "bonus", "rejected"])
    assert [edge for edge, _ in scale] == [0, 0.25, 0.25, 0.75, 0.75, 1]


def test_provenance_line_by_hand(tiny):
    shown = [run and run.provenance for run in line(tiny.steps[1], 0, 7)]
    assert shown == ["prefill", *["verified"] * 3, *["dropped"] * 2, None]


def test_provenance_has_a_line_per_step_and_a_key_for_what_occurs(tiny):
    figure = provenance(tiny)
    assert len(figure.data[0].z) == 2
    assert [t.name for t in figure.data[1:]] == ["prefill", "verified", "dropped"]


def test_marks_follow_the_selected_step(sample):
    step = sample.lanes["eagley"].emitted[30].step
    (column,) = acceptance_marks(sample, Selection(30), "eagley")
    assert (column["x0"], column["x1"]) == (step - 0.5, step + 0.5)
    (row,) = provenance_marks(sample, Selection(30), "eagley")
    assert (row["y0"], row["y1"]) == (step - 0.5, step + 0.5)
    assert acceptance_marks(sample, Selection(0), "eagley") == []


@pytest.mark.parametrize("draw", [acceptance, provenance])
def test_vanilla_can_be_drawn_too(sample, draw):
    assert "NaN" not in draw(sample.lanes["vanilla"]).to_json()


def test_every_colour_has_a_dark_twin(sample):
    figures = [timeline(sample), tokens_over_time(sample), acceptance(sample.lanes["eagley"])]
    text = "".join(figure.to_json() for figure in figures)
    colours = {text[i : i + 7] for i, c in enumerate(text) if c == "#"}
    assert colours <= set(theme.DARK_TWINS)


def test_light_and_dark_roles_are_the_same_and_twins_unambiguous():
    assert theme.LIGHT.keys() == theme.DARK.keys()
    assert len(theme.DARK_TWINS) == len(theme.LIGHT)
