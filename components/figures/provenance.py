"""Where every row of the target's cache came from, step by step."""

import plotly.graph_objects as go

from components import theme
from components.figures.acceptance import discrete
from components.selection import Comparison, Selection, place
from eagley_core.trace import Step, Trace

_CODES = {name: code for code, name in enumerate(theme.PROVENANCES)}
SHOWN_PROMPT = 6  # prompt positions at the left edge; the others look the same
WORDS = {
    "prefill": "computed with the prompt",
    "kept": "computed in an earlier pass and kept",
    "verified": "computed in this step's pass",
    "dropped": "computed in this step's pass and dropped",
}


def provenance(trace: Trace) -> go.Figure:
    """Step × position, coloured by provenance; the newest step is at the bottom."""
    first = max(0, len(trace.prompt_ids) - SHOWN_PROMPT)
    last = max((run.stop for step in trace.steps for run in step.cache), default=first + 1)
    figure = go.Figure(_cells(trace, first, max(last, first + 1)))
    for name, role in theme.PROVENANCES.items():
        figure.add_trace(_key(name, role))
    return figure.update_layout(_layout(trace, first, last))


def line(step: Step, first: int, last: int) -> list[str | None]:
    """The provenance of positions first..last-1 after one step; None where nothing was written."""
    cells: list[str | None] = [None] * (last - first)
    for run in step.cache:
        start, stop = max(run.start, first), min(run.stop, last)
        cells[start - first : stop - first] = [run.provenance] * max(stop - start, 0)
    return cells


def _cells(trace: Trace, first: int, last: int) -> go.Heatmap:
    grid = [line(step, first, last) for step in trace.steps]
    return go.Heatmap(
        z=[[_CODES.get(cell) for cell in row] for row in grid],
        x=list(range(first, last)),
        y=[step.index for step in trace.steps],
        text=[[WORDS.get(cell, "") for cell in row] for row in grid],
        hovertemplate="step %{y}, position %{x}<br>%{text}<extra></extra>",
        hoverongaps=False,
        colorscale=discrete(list(theme.PROVENANCES.values())),
        zmin=0,
        zmax=len(theme.PROVENANCES) - 1,
        showscale=False,
        xgap=0.5,
        ygap=0.5,
        meta=trace.config.method,
    )


def _key(name: str, role: str) -> go.Scatter:
    marker = {"symbol": "square", "size": 10, "color": theme.colour(role)}
    return go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=marker)


def _layout(trace: Trace, first: int, last: int) -> dict:
    alt = f"{trace.label} cache provenance over {len(trace.steps)} steps, to position {last - 1}."
    layout = theme.layout(alt, height=min(620, 150 + 8 * len(trace.steps)))
    layout["margin"] = layout["margin"] | {"l": 44}
    hidden = f" (0 to {first - 1}, the prompt's beginning, left out)" if first else ""
    layout["xaxis"] = theme.axis(f"position{hidden}", showgrid=False)
    bottom = trace.steps[-1].index + 0.5
    layout["yaxis"] = theme.axis("step", showgrid=False, range=[bottom, -0.5])
    layout["uirevision"] = f"{trace.name}-{trace.label}"
    return layout


def provenance_marks(comparison: Comparison, selection: Selection, method: str) -> list[dict]:
    """A frame around the selected step's line."""
    here = place(comparison.lanes[method], selection)
    if here is None:
        return []
    y = here.step.index
    box = {"x0": 0, "x1": 1, "xref": "paper", "y0": y - 0.5, "y1": y + 0.5}
    return [{"type": "rect", "line": {"color": theme.colour("ring"), "width": 1.5}, **box}]
