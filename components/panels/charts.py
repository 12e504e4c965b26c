"""Timeline, acceptance and cache provenance of the whole run, each with its table."""

import gradio as gr
import pandas as pd
import plotly.graph_objects as go

from components import theme
from components.figures.acceptance import acceptance, acceptance_marks
from components.figures.provenance import provenance, provenance_marks
from components.figures.timeline import timeline, timeline_marks
from components.figures.tokens_over_time import tokens_over_time
from components.panels.panel import Panel, Source
from components.selection import TREE_METHODS, Comparison, Selection, at_step
from components.tables import acceptance_table, provenance_table, timeline_table
from components.viewer import Viewer
from eagley_core.config import Method

NOTES = {
    "time": "All lanes on one clock that starts with the prefill. Click a bar to select its step.",
    "acceptance": "How deep the target followed each step's tree. Below a level that was not "
    "accepted nothing is tested. Click a cell to select its step.",
    "provenance": "Where each row of the target's cache came from after each step. Rejected nodes' "
    "rows are dropped; EAGLEY keeps what the target said there. Click a line to select its step.",
}


def build(comparison: Comparison | None, selection: Selection) -> Panel:
    """Three tabs that follow the selection."""
    with gr.Tabs():
        with gr.Tab("Timeline"):
            clock, stairs, *times = _time(comparison, selection)
        with gr.Tab("Acceptance"):
            levels = _pair("acceptance", comparison, selection)
        with gr.Tab("Cache provenance"):
            rows = _pair("provenance", comparison, selection)
    viewers = (clock, stairs, *levels[:2], *rows[:2])
    return Panel(
        outputs=(*viewers, *times, levels[2], rows[2]),
        opened=opened,
        moving=(clock, *levels[:2], *rows[:2]),
        moved=moved,
        sources=(
            *(Source(viewer, picked_step) for viewer in viewers[:2]),
            *(Source(viewer, picked_level) for viewer in levels[:2]),
            *(Source(viewer, picked_row) for viewer in rows[:2]),
        ),
    )


def _time(comparison: Comparison | None, selection: Selection) -> tuple:
    gr.HTML(f"<p>{NOTES['time']}</p>", elem_classes="hint")
    clock = Viewer(
        timeline(comparison) if comparison else None,
        marks=timeline_marks(comparison, selection) if comparison else [],
        elem_id="timeline",
    )
    stairs = Viewer(tokens_over_time(comparison) if comparison else None)
    return clock, stairs, _table(timeline_table(comparison) if comparison else None)


FIGURES = {"acceptance": acceptance, "provenance": provenance}
MARKS = {"acceptance": acceptance_marks, "provenance": provenance_marks}
KINDS = [(kind, method) for kind in FIGURES for method in TREE_METHODS]
TABLES = {"acceptance": acceptance_table, "provenance": provenance_table}


def _pair(kind: str, comparison: Comparison | None, selection: Selection) -> tuple:
    gr.HTML(f"<p>{NOTES[kind]}</p>", elem_classes="hint")
    viewers = []
    with gr.Row():
        for method in TREE_METHODS:
            with gr.Column(min_width=320):
                gr.HTML(f"<h3>{theme.LANE_LABELS[method]}</h3>", elem_classes="hint")
                value = _figure(kind, comparison, method) if comparison else None
                marks = _marks(kind, comparison, selection, method) if comparison else []
                viewers.append(Viewer(value, marks=marks, elem_id=f"{kind}-{method}"))
    return (*viewers, _table(TABLES[kind](comparison) if comparison else None))


def _table(frame: pd.DataFrame | None) -> gr.Dataframe:
    with gr.Accordion("As a table", open=False):
        return gr.Dataframe(frame, show_label=False, max_height=360)


def _figure(kind: str, comparison: Comparison, method: Method) -> go.Figure | None:
    return FIGURES[kind](comparison, method) if method in comparison.lanes else None


def _marks(kind: str, comparison: Comparison, selection: Selection, method: Method) -> list[dict]:
    return MARKS[kind](comparison, selection, method) if method in comparison.lanes else []


def opened(comparison: Comparison, selection: Selection) -> tuple:
    """All figures and tables of a comparison."""
    clock = gr.update(value=timeline(comparison), marks=timeline_marks(comparison, selection))
    pairs = (
        gr.update(
            value=_figure(kind, comparison, method),
            marks=_marks(kind, comparison, selection, method),
        )
        for kind, method in KINDS
    )
    return (
        clock,
        tokens_over_time(comparison),
        *pairs,
        timeline_table(comparison),
        acceptance_table(comparison),
        provenance_table(comparison),
    )


def moved(comparison: Comparison, selection: Selection) -> tuple:
    """A frame around the selected step in every figure."""
    marks = [_marks(kind, comparison, selection, method) for kind, method in KINDS]
    clock = gr.update(marks=timeline_marks(comparison, selection))
    return (clock, *(gr.update(marks=found) for found in marks))


def picked_step(comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """A bar or a stair was clicked."""
    custom = data["custom"]
    method, step = custom if isinstance(custom, list) else (lane(data), custom)
    return _at(comparison, selection, method, (int(step), 1))


def lane(data: dict) -> Method:
    return data["meta"]["pick"]["method"]


def picked_level(comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """A cell of the acceptance figure was clicked: a step, and a depth of its tree."""
    return _at(comparison, selection, lane(data), (int(data["x"]), int(data["y"])))


def picked_row(comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """A cell of the provenance figure was clicked: a position, after a step."""
    return _at(comparison, selection, lane(data), (int(data["y"]), 1))


def _at(
    comparison: Comparison, selection: Selection, method: Method, cell: tuple[int, int]
) -> Selection:
    trace = comparison.lanes.get(method)
    return selection if trace is None else at_step(selection, trace, *cell)
