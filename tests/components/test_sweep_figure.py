"""Heatmaps of a sweep, and the panel that opens its files."""

import json

import gradio as gr
import pytest
from sample_sweep import sample_sweep

from components.figures.sweep import View, cells, sweep_map
from components.panels.sweeps import NONE, _redrawn, choices, drawn, opening, places, read
from components.sweep_tables import sweep_table
from components.words import ENGLISH, words


def medians(view: View) -> list[list]:
    return [[cell["median"] for cell in row] for row in cells(sample_sweep(), view)]


def test_cells_lie_where_their_settings_say():
    assert medians(View("tree.total", "temperature", "eagle", "length", {})) == [[4, 8], [5, 9]]
    assert medians(View("temperature", "tree.total", "eagley", "length", {})) == [
        [4.5, 5.5],
        [8.5, 9.5],
    ]
    assert medians(View("tree.total", None, "eagle", "vanilla", {"temperature": 1.0})) == [[1, 1]]


def test_what_was_not_measured_is_empty_and_says_so():
    figure = sweep_map(sample_sweep(), View("tree.total", "temperature", "eagley", "eagle", {}))
    assert list(figure.data[0].z) == [[None, None], [None, None]]
    assert figure.data[0].customdata[0][0] == "not measured"
    assert "not measured" in figure.layout.meta["alt"]


def test_the_hover_tells_the_interval():
    figure = sweep_map(sample_sweep(), View("tree.total", "temperature", "eagle", "length", {}))
    assert figure.data[0].customdata[0][0] == "4.000 (3.900 to 4.000)"
    assert list(figure.data[0].text[1]) == ["5.00", "9.00"]
    assert figure.layout.meta["alt"] == "mean accepted length of EAGLE: 4.00 to 9.00."


def test_a_cut_fixes_the_axes_that_are_not_drawn():
    found = sample_sweep()
    cut = opening(found, ENGLISH)
    assert (cut.x, cut.y, cut.method, cut.at) == ("tree.total", "temperature", "eagley", NONE)
    assert list(places(found, "tree.total", NONE, ENGLISH).values()) == [
        {"temperature": 0.0},
        {"temperature": 1.0},
    ]
    hot = cut._replace(y=NONE, method="eagle", colour="length", at="temperature 1.0")
    assert drawn(found, hot, ENGLISH).data[0].z[0] == [5.0, 9.0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_choice_can_be_drawn(language):
    found, say = sample_sweep(), words(language)
    cut = opening(found, say)
    for name in cut._fields:
        for _, value in choices(name, found, cut, say):
            assert drawn(found, cut._replace(**{name: value}), say).data


def test_a_file_is_read_without_its_rows(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(sample_sweep()))
    assert set(read(tmp_path / "s.json")) == {"axes", "points"}
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(ValueError, match=r"^t.json is not the result of a sweep"):
        read(tmp_path / "t.json")


def test_the_table_has_every_place_and_lane_with_its_interval():
    found = sweep_table(sample_sweep())
    assert len(found) == 2 * 2 * 2
    row = found.iloc[0]
    assert (row["Lane"], row["mean accepted length"]) == ("EAGLE", 4.0)
    assert row["mean accepted length, low"] == 3.9
    assert row["speed-up over vanilla"] == 0.0
    assert found["speed-up over EAGLE"].isna().all()


def test_what_was_typed_and_is_no_choice_changes_nothing():
    found = sample_sweep()
    cut = opening(found, ENGLISH)
    for name in ("x", "y", "method", "colour"):
        assert _redrawn(found, cut._replace(**{name: "typed"}), ENGLISH) == (gr.skip(), gr.skip())
    gone = cut._replace(y=NONE, at="gone")
    box, figure = _redrawn(found, gone, ENGLISH)
    assert figure == drawn(found, gone._replace(at="temperature 0.0"), ENGLISH)


def test_a_switch_is_on_or_off():
    found = json.loads(json.dumps(sample_sweep()).replace("temperature", "coupled"))
    found["axes"]["coupled"] = [True, False]
    for point in found["points"]:
        point["at"]["coupled"] = point["at"]["coupled"] > 0
    assert set(sweep_table(found)["coupled drafting"]) == {"on", "off"}
    cut = opening(found, ENGLISH)
    assert list(drawn(found, cut, ENGLISH).data[0].y) == ["on", "off"]
    assert list(places(found, "tree.total", NONE, ENGLISH)) == [
        "coupled drafting on",
        "coupled drafting off",
    ]
