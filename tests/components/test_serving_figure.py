"""The serving model drawn, and its panel."""

from math import isnan

import pytest

from components.claims.results import RESULTS
from components.figures.serving import BATCHES, CONTEXTS, Server, serving_curves, serving_map
from components.panels.serving import METHODS, drawn, measured, opening
from components.sweep_tables import serving_table
from components.words import words
from eagley_core.devices import DEVICES
from eagley_core.serving import SHAPES, Drafting, Load, speedup

SERVER = Server(DEVICES["L4"], SHAPES["Llama-3.1-8B"])
DRAFTING = Drafting(2.5, 10, 2, 4, 0.07)


def test_a_line_is_the_models_and_ends_where_memory_does():
    [line] = serving_curves(SERVER, 4096, {"eagle": DRAFTING}).data
    assert list(line.y) == [speedup(*SERVER, Load(batch, 4096), DRAFTING) for batch in BATCHES]
    assert line.y[0] > 1
    assert line.y[-1] is None


def test_a_cell_is_the_models():
    [heat] = serving_map(SERVER, DRAFTING).data
    for row, context in enumerate(CONTEXTS):
        for column, batch in enumerate(BATCHES):
            assert heat.z[row][column] == speedup(*SERVER, Load(batch, context), DRAFTING)


def test_the_table_is_the_lines():
    [line] = serving_curves(SERVER, 4096, {"eagle": DRAFTING}).data
    found = serving_table(SERVER, 4096, {"eagle": DRAFTING})["EAGLE"]
    assert [None if gain is None else round(gain, 3) for gain in line.y] == [
        None if isnan(gain) else gain for gain in found
    ]


def test_figures_say_that_they_are_modelled():
    curves = serving_curves(SERVER, 512, {"eagle": DRAFTING})
    assert "model" in curves.layout.yaxis.title.text
    assert curves.layout.meta["alt"].startswith("Modelled")
    assert serving_map(SERVER, DRAFTING).layout.meta["alt"].startswith("Modelled")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_panel_starts_from_the_shipped_result(language):
    name, found = measured(RESULTS)
    assert (RESULTS / name).is_file()
    assert set(found) == set(METHODS)
    asked = opening(found)
    figures = drawn(asked, found, words(language))
    assert len(figures[0].data) == 2
    moved = drawn(asked._replace(tokens=1.0), found, words(language))
    assert moved[0].data[0].y == figures[0].data[0].y  # the other lane
    assert all(a < b for a, b in zip(moved[0].data[1].y, figures[0].data[1].y, strict=True) if a)


def test_where_no_result_is_shipped_there_is_no_panel(tmp_path):
    assert measured(tmp_path) == ("", {})
