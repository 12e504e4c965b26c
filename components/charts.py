"""The figures of a whole run, by name, each with its twin as a table."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from components.figures.acceptance import acceptance
from components.figures.provenance import provenance
from components.figures.timeline import timeline
from components.figures.tokens_over_time import tokens_over_time
from components.plain_table import plain_table
from components.selection import Comparison
from components.tables import acceptance_table, provenance_table, timeline_table
from components.words import ENGLISH, Phrase, Words

Draw = Callable[[Comparison, Words], go.Figure | None]
Tabulate = Callable[[Comparison, Words], pd.DataFrame]


class Chart(NamedTuple):
    """`figure` and `table` are called with the comparison and the words; a figure of a lane that
    was not run is None."""

    name: str
    title: str
    note: str
    figure: Draw
    table: Tabulate
    tab: str


TIME: Final = Phrase("Timeline")
ACCEPTANCE: Final = Phrase("Acceptance")
CACHE: Final = Phrase("Cache provenance")
CLOCK: Final = Phrase(
    "All lanes on one clock that starts with the prefill. Click a bar to select its step."
)
LEVELS: Final = Phrase(
    "How deep the target followed each step's tree. Below a level that was not accepted nothing is "
    "tested. Click a cell to select its step."
)
ROWS: Final = Phrase(
    "Where each row of the target's cache came from after each step. Rejected nodes' rows are "
    "dropped; EAGLEY keeps what the target said there. Click a line to select its step."
)
STAIRS: Final = Phrase("Output tokens against time: a steeper stair is faster.")


def _pair(name: str, texts: tuple[str, str], draw: Callable, tabulate: Callable) -> list[Chart]:
    """A chart for each of the two lanes with trees, called by their usual methods."""
    title, note = texts

    def of(side: int) -> Chart:
        def figure(comparison: Comparison, say: Words) -> go.Figure | None:
            lane = comparison.trees[side]
            return None if lane is None else draw(comparison, lane, say)

        return Chart(f"{name}-{SIDES[side]}", title, note, figure, tabulate, title)

    return [of(side) for side in range(len(SIDES))]


SIDES: Final = ("eagle", "eagley")
_ALL: Final = (
    Chart(
        "timeline",
        TIME,
        CLOCK,
        lambda c, say: timeline(c, say),
        lambda c, say: timeline_table(c),
        TIME,
    ),
    Chart(
        "tokens-over-time",
        Phrase("Tokens over time"),
        STAIRS,
        lambda c, say: tokens_over_time(c, say),
        lambda c, say: timeline_table(c),
        TIME,
    ),
    *_pair("acceptance", (ACCEPTANCE, LEVELS), acceptance, lambda c, say: acceptance_table(c)),
    *_pair("provenance", (CACHE, ROWS), provenance, lambda c, say: provenance_table(c)),
)
CHARTS: Final = {chart.name: chart for chart in _ALL}


def chart(comparison: Comparison, name: str, say: Words = ENGLISH) -> dict[str, Any]:
    """{"figure", "table"} as the browser takes them. Raises ValueError for an unknown name."""
    if name not in CHARTS:
        raise ValueError(f"there is no chart {name!r}; there are {', '.join(CHARTS)}")
    found = CHARTS[name]
    figure = found.figure(comparison, say)
    table = found.table(comparison, say)
    drawn = None if figure is None else json.loads(figure.to_json())
    return {"figure": drawn, "table": plain_table(table)}
