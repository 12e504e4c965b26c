"""The figures of a whole run, by name, each with its twin as a table."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pandas as pd
import plotly.graph_objects as go

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
from components.figures.acceptance import acceptance
from components.figures.delta import delta
from components.figures.depth_rank import depth_rank
from components.figures.estimate import estimate
from components.figures.inside import layer_error
from components.figures.provenance import provenance
from components.figures.reuse_flow import reuse_flow
from components.figures.similarity import similarity
from components.figures.stale_age import stale_age
from components.figures.timeline import timeline
from components.figures.tokens_over_time import tokens_over_time
from components.figures.where_time_went import where_time_went
from components.outcome import hardware
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
SPENT: Final = Phrase(
    "Each lane's time by phase, with its total and the decode time per token. Shares are of the "
    "lane's whole time; the prefill is a pass of its own."
)
MODEL: Final = Phrase(
    "Before each step the cost model expects so many tokens for so much time (dotted). What came "
    "of it is the solid line. Click a point to select its step."
)
CHOICES: Final = Phrase(
    "How often the draft's first, second, … choice was the target's token. Counted are the nodes "
    "that were reached: those whose parent was accepted. The shares of one depth add up to the "
    "chance that any node is accepted there."
)
REUSE: Final = Phrase("Reuse")
FLOW: Final = Phrase(
    "Each point is a stored guess: from the step whose row it was kept from, to the step whose "
    "tree has it. Filled: accepted. Square: the row belonged to a rejected node. Where the draft "
    "had the guess too, the draft has the credit. Click to select a step."
)
INSIDE: Final = Phrase("Internals")
ERRORS: Final = Phrase(
    "How far the cached keys and values are from those of a clean pass over the same text, and "
    "what that does to attention. Blank: no bit differs. Shown is the lane with the largest error. "
    "Click a cell to select its step."
)
COSINES: Final = Phrase(
    "How much of a state each layer leaves as it was, and how near the draft's states are to the "
    "target's own. Measured against a clean pass."
)
DELTAS: Final = Phrase(
    "Had the draft's rows stood in for the target's: what is left of the error without Delta, with "
    "the target's own attention over the new tokens, and with the exact Delta."
)
AGES: Final = Phrase(
    "What it costs to predict behind rows that were computed for another prefix, by how many "
    "tokens ago they were put in place."
)


def _pair(
    name: str, texts: tuple[str, str, str], draw: Callable, tabulate: Tabulate
) -> list[Chart]:
    """A chart for each of the two lanes with trees, called by their usual methods."""
    title, note, tab = texts

    def of(side: int) -> Chart:
        def figure(comparison: Comparison, say: Words) -> go.Figure | None:
            lane = comparison.trees[side]
            return None if lane is None else draw(comparison, lane, say)

        return Chart(f"{name}-{SIDES[side]}", title, note, figure, tabulate, tab)

    return [of(side) for side in range(len(SIDES))]


SIDES: Final = ("eagle", "eagley")
_ALL: Final = (
    Chart("timeline", TIME, CLOCK, timeline, timeline_table, TIME),
    Chart(
        "tokens-over-time",
        Phrase("Tokens over time"),
        STAIRS,
        tokens_over_time,
        timeline_table,
        TIME,
    ),
    Chart(
        "where-time-went", Phrase("Where the time went"), SPENT, where_time_went, time_table, TIME
    ),
    Chart("estimate", Phrase("Estimate and outcome"), MODEL, estimate, estimate_table, TIME),
    *_pair("acceptance", (ACCEPTANCE, LEVELS, ACCEPTANCE), acceptance, acceptance_table),
    *_pair(
        "depth-rank",
        (Phrase("Acceptance by depth and choice"), CHOICES, ACCEPTANCE),
        depth_rank,
        rank_table,
    ),
    *_pair("provenance", (CACHE, ROWS, CACHE), provenance, provenance_table),
    Chart("reuse-flow", Phrase("Reuse from step to step"), FLOW, reuse_flow, flow_table, REUSE),
    Chart("layer-error", Phrase("Error by layer"), ERRORS, layer_error, error_table, INSIDE),
    Chart("similarity", Phrase("Similarity"), COSINES, similarity, similarity_table, INSIDE),
    Chart("delta", Phrase("What Delta leaves"), DELTAS, delta, delta_table, INSIDE),
    Chart("stale-age", Phrase("Old verdicts"), AGES, stale_age, age_table, INSIDE),
)
CHARTS: Final = {chart.name: chart for chart in _ALL}


def chart(comparison: Comparison, name: str, say: Words = ENGLISH) -> dict[str, Any]:
    """{"figure", "table", "machine"} as the browser takes them; machine: where the times are from.

    Raises ValueError for an unknown name.
    """
    if name not in CHARTS:
        raise ValueError(f"there is no chart {name!r}; there are {', '.join(CHARTS)}")
    found = CHARTS[name]
    figure = found.figure(comparison, say)
    table = found.table(comparison, say)
    drawn = None if figure is None else json.loads(figure.to_json())
    machines = dict.fromkeys(hardware(trace, say) for trace in comparison.traces)
    return {"figure": drawn, "table": plain_table(table), "machine": " / ".join(machines)}
