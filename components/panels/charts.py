"""The charts of the whole run, in tabs, each with its table. They fetch and move by themselves."""

from itertools import groupby

import gradio as gr

from components.charts import CHARTS, SIDES
from components.charts import Chart as Entry
from components.elements.chart import Chart
from components.elements.table import Table
from components.words import ENGLISH, Words


def build(say: Words = ENGLISH) -> None:
    """One tab after another, inside a `gr.Tabs`."""
    tabs: dict[str, list[Entry]] = {}
    for entry in CHARTS.values():
        tabs.setdefault(entry.tab, []).append(entry)
    for tab, entries in tabs.items():
        with gr.Tab(say(tab)):
            for _, alike in groupby(entries, key=lambda entry: entry.note):
                _block(list(alike), say)


def _block(entries: list[Entry], say: Words) -> None:
    """Charts under one note: a lone one, or the pair of the two trees, and one table."""
    title = f"<h3>{say(entries[0].title)}</h3>"
    gr.HTML(f"{title}<p>{say(entries[0].note)}</p>", elem_classes="hint")
    with gr.Row(elem_classes="charts"):
        for entry in entries:
            with gr.Column(min_width=320):
                Chart(
                    {"key": "", "name": entry.name}, side=_side(entry), elem_id=entry.name, say=say
                )
    Table(chart=entries[0].name, say=say)


def _side(entry: Entry) -> int | None:
    """Which of the two trees a chart is about."""
    last = entry.name.rpartition("-")[2]
    return SIDES.index(last) if last in SIDES else None
