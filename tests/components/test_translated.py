"""The page's words reach everything that is shown of a run: none of it is left in English."""

import re
from collections.abc import Iterable

import pytest

from components.charts import CHARTS
from components.explain import facts
from components.figures.draft_tree import extent
from components.imagined import imagined
from components.legend import source_legend, tree_legend
from components.marks import DRAWN
from components.numbers import headline, numbers
from components.outcome import about, ending, identity
from components.packets import packet
from components.panels import lanes, opening
from components.selection import ROOT, Place
from components.tables import tree_table
from components.view import view
from components.words import Words
from eagley_core.rule import Rule


class Marked(dict):
    """A catalogue that has a translation of anything."""

    def get(self, sentence: str, _: str | None = None) -> str:
        return f"§{sentence}"


SAY = Words("marked", Marked())
NAMES = {"EAGLE", "EAGLEY"}


def english(texts: Iterable[str | None]) -> list[str]:
    """Those that were not said."""
    return [
        text
        for text in texts
        if text and re.search("[A-Za-z]{3}", text) and "§" not in text and text not in NAMES
    ]


def shown(html: str) -> list[str]:
    """The texts between its tags."""
    return re.findall(">([^<>]+)<", html)


def test_every_fact_of_a_card_is_said(every):
    step = every.steps[1]
    for place in range(ROOT, len(step.nodes) + 1):
        rows = facts(every, Place(step, place), SAY)
        assert not english(text for row in rows for text in row)


def test_a_packet_is_said(every):
    made = packet(every, 1, extent([every]), say=SAY)
    assert not english([made["title"], made["note"], *made["table"]["columns"]])
    assert not english(card["title"] for card in made["cards"])
    assert not english(made["figure"]["layout"]["meta"]["alt"].splitlines())


def test_verdicts_sources_and_reasons_are_said_in_the_table(every):
    table = tree_table(every, every.steps[1], SAY).drop(columns="§token")
    assert not english(cell for column in table for cell in table[column] if type(cell) is str)


def test_another_rule_is_said(tiny):
    found = imagined(tiny, Place(tiny.steps[1], 1), Rule.parse("top-k:2"), SAY)
    assert not english([found.told])


def test_a_lane_is_said(sample):
    vanilla = sample.lanes["vanilla"]
    for name, trace in sample.lanes.items():
        told = [text for number in numbers(trace, vanilla, SAY) for text in number]
        told += [headline(trace, vanilla, SAY), identity(trace, vanilla, SAY), ending(trace, SAY)]
        told += [about(trace, SAY), *shown(lanes.heading(sample, name, SAY))]
        assert not english(told)


def test_the_view_and_the_description_are_said(sample):
    made = view(sample, SAY)
    assert not english([made["name"], *(lane["label"] for lane in made["lanes"])])
    assert not english([opening.description(sample, SAY)["note"]])


def test_the_keys_to_the_marks_are_said():
    assert not english(shown(source_legend(DRAWN, SAY) + tree_legend(DRAWN, SAY)))


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_and_its_table_are_said(sample, name):
    chart = CHARTS[name]
    assert not english([SAY(chart.title), SAY(chart.note), SAY(chart.tab)])
    assert not english(map(str, chart.table(sample, SAY).columns))
    figure = chart.figure(sample, SAY)
    if figure is not None:
        assert not english(labels(figure))


def labels(figure) -> list[str | None]:
    """A figure's description, titles, notes and keys."""
    layout = figure.to_plotly_json()["layout"]
    axes = [part for key, part in layout.items() if re.match(r"[xy]axis", key)]
    titles = [axis.get("title", {}).get("text") for axis in axes]
    notes = [note.get("text") for note in layout.get("annotations", ())]
    names = [trace.name for trace in figure.data if trace.showlegend is not False]
    return [layout["meta"]["alt"], *titles, *notes, *names]
