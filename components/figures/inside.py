"""What a run looks like inside: errors of its rows by layer and position, where they were kept."""

from collections.abc import Sequence
from math import ceil, log10
from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.lane_looks import drawn_labels
from components.figures.quiet import quiet
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.internals import Internals, Row
from eagley_core.trace import Trace

HOW: Final = Phrase(
    "These runs were recorded without internals. Record some: python -m eagley_core run "
    "--internals --trace FILE"
)
CELLS: Final = 60_000  # of one figure: in longer runs a cell stands for several positions
SMALLEST: Final = -3  # decimal logarithm: smaller errors look alike
GAP: Final = 3  # lines between two bands
BANDS: Final = {  # fields of Internals, from the top down
    "key_errors": Phrase("keys"),
    "value_errors": Phrase("values"),
    "attention_errors": Phrase("attention output"),
}


def watched(comparison: Comparison) -> dict[Lane, Internals]:
    """The lanes that have internals, with the rows of at least one output token."""
    found = {name: trace.internals for name, trace in comparison.lanes.items() if trace.internals}
    return {name: inside for name, inside in found.items() if inside.kl}


def largest(inside: Internals) -> float:
    """The largest relative error of a run's keys and values."""
    rows = (*inside.key_errors, *inside.value_errors)
    return max((max(row, default=0.0) for row in rows), default=0.0)


def worst(comparison: Comparison) -> Lane | None:
    """The lane whose errors are shown: the one with the largest, later lanes before others."""
    found = watched(comparison)
    return max(reversed(found), key=lambda name: largest(found[name]), default=None)


class Sheet(NamedTuple):
    """The bands one above the other, as lines of cells. A cell is the largest of `together`."""

    lines: list[list[float | None]]  # None: exactly as it should be, and the gaps
    ticks: list[tuple[int, str]]
    titles: list[tuple[int, str]]  # the line over a band, and its name
    together: int  # positions


def sheet(inside: Internals, say: Words = ENGLISH) -> Sheet:
    layers = len(inside.key_errors)
    together = ceil(max(len(inside.kl), 1) * layers * len(BANDS) / CELLS)
    lines, ticks, titles = [], [], []
    for field, name in BANDS.items():
        lines += [[None] * ceil(len(inside.kl) / together)] * GAP
        titles.append((len(lines) - 1, say(name)))
        marked = {0, layers // 2, layers - 1}
        ticks += [(len(lines) + layer, str(layer)) for layer in sorted(marked)]
        lines += [_thinned(row, together) for row in getattr(inside, field)]
    return Sheet(lines, ticks, titles, together)


def _thinned(row: Row, together: int) -> list[float | None]:
    groups = (row[i : i + together] for i in range(0, len(row), together))
    return [max(group) or None for group in groups]


def layer_error(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Layer × output position: how far cached rows, and attention over them, are off."""
    lane = worst(comparison)
    if lane is None:
        return quiet(say(HOW))
    trace = comparison.lanes[lane]
    drawn = sheet(trace.internals, say)
    figure = go.Figure(_heat(trace, drawn, say))
    figure.update_traces(meta={"pick": {"method": lane, "step": "custom", "depth": None}})
    figure.update_layout(_layout(comparison, lane, drawn, say))
    return figure


def _heat(trace: Trace, drawn: Sheet, say: Words) -> go.Heatmap:
    steps = _passes(trace)[:: drawn.together]
    told = say("position {position}: relative error {error}", position="%{x}", error="%{text}")
    return go.Heatmap(
        z=[[cell and round(log10(cell), 3) for cell in line] for line in drawn.lines],
        x0=trace.internals.first,
        dx=drawn.together,
        text=[[cell and f"{cell:.2g}" for cell in line] for line in drawn.lines],
        customdata=[steps[: len(line)] for line in drawn.lines],
        hovertemplate=f"{told}<extra></extra>",
        hoverongaps=False,
        zmin=SMALLEST,
        zmax=0.3,
        colorscale=[
            [0, theme.colour("draft_pale")],
            [0.35, theme.colour("draft-state")],
            [0.65, theme.colour("bonus")],
            [1, theme.colour("rejected")],
        ],
        colorbar={
            "title": {
                "text": say("relative error"),
                "side": "right",
                "font": {"size": 11, "color": theme.colour("muted")},
            },
            "tickvals": list(range(SMALLEST, 1)),
            "ticktext": [f"{10.0**power:g}" for power in range(SMALLEST, 1)],
            "tickfont": {"size": 11, "color": theme.colour("muted")},
            "thickness": 10,
            "outlinewidth": 0,
        },
    )


def _layout(comparison: Comparison, lane: Lane, drawn: Sheet, say: Words) -> dict:
    trace = comparison.lanes[lane]
    label = drawn_labels(comparison, say)[lane]
    alt = say(
        "{lane}: relative error of keys, values and attention output by layer and position; the "
        "largest error of a row is {largest}.",
        lane=lane_labels(comparison, say)[lane],
        largest=f"{largest(trace.internals):.2g}",
    )
    layout = theme.layout(alt, height=150 + 4 * len(drawn.lines))
    layout["meta"]["follow"] = {lane: {"boxes": _boxes(trace, len(drawn.lines))}}
    layout["margin"] = {"l": 48, "r": 8, "t": 16, "b": 44}
    where = say("position of {lane}; blank: exactly as in a clean pass", lane=label)
    if drawn.together > 1:
        where = say(
            "position of {lane}; a cell is the largest of {count} positions",
            lane=label,
            count=drawn.together,
        )
    layout["xaxis"] = theme.axis(where, showgrid=False)
    layout["yaxis"] = theme.axis(
        say("layer"),
        showgrid=False,
        range=[len(drawn.lines) - 0.5, -0.5],
        tickvals=[at for at, _ in drawn.ticks],
        ticktext=[text for _, text in drawn.ticks],
    )
    layout["annotations"] = [_title(at, name) for at, name in drawn.titles]
    layout["uirevision"] = f"{comparison.name}-{lane}-inside"
    return layout


def _title(at: int, name: str) -> dict:
    font = {"size": 11, "color": theme.colour("muted")}
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": at - 0.4, "yanchor": "middle"}
    return place | {"text": name, "showarrow": False, "font": font}


def _passes(trace: Trace) -> list[int]:
    """Of each output position, the step whose pass made its row."""
    return [s.index for s in trace.decode_steps for _ in range(1 + len(s.accepted))]


def _boxes(trace: Trace, lines: int) -> list[list[float]]:
    """For each step, the positions of the rows that its pass committed: root and accepted path."""
    return [
        [step.position - 0.5, step.position + len(step.accepted) + 0.5, -0.5, lines - 0.5]
        for step in trace.steps
    ]


def columns_of(row: Sequence[float]) -> tuple[float, float]:
    """Mean and largest of a layer's errors; zeros where there is no position."""
    return (sum(row) / len(row), max(row)) if row else (0.0, 0.0)
