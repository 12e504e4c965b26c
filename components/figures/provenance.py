"""Where every row of the target's cache came from, step by step."""

import plotly.graph_objects as go

from components import theme
from components.figures.acceptance import discrete
from components.marks import PROVENANCES, provenances
from components.selection import Comparison, Selection, place
from eagley_core.trace import CacheRun, Step, Trace

_CODES = {name: code for code, name in enumerate(PROVENANCES)}
SHOWN_PROMPT = 6  # prompt positions at the left edge; the others look the same


def provenance(trace: Trace) -> go.Figure:
    """Step × position, coloured by provenance; the newest step is at the bottom."""
    first = max(0, len(trace.prompt_ids) - SHOWN_PROMPT)
    last = max((run.stop for step in trace.steps for run in step.cache), default=first + 1)
    figure = go.Figure(_cells(trace, first, max(last, first + 1)))
    for name in provenances(trace.steps):
        figure.add_trace(_key(name))
    return figure.update_layout(_layout(trace, first, last))


def line(step: Step, first: int, last: int) -> list[CacheRun | None]:
    """The runs of positions first..last-1 after one step; None where nothing was written."""
    cells: list[CacheRun | None] = [None] * (last - first)
    for run in step.cache:
        start, stop = max(run.start, first), min(run.stop, last)
        cells[start - first : stop - first] = [run] * max(stop - start, 0)
    return cells


def told(run: CacheRun) -> str:
    """A row's provenance in words, with the age of a stale one."""
    tokens = "1 token" if run.age == 1 else f"{run.age} tokens"
    since = "" if run.age is None else f", {tokens} ago"
    return f"{run.provenance}: {PROVENANCES[run.provenance].words}{since}"


def _cells(trace: Trace, first: int, last: int) -> go.Heatmap:
    grid = [line(step, first, last) for step in trace.steps]
    return go.Heatmap(
        z=[[run and _CODES[run.provenance] for run in row] for row in grid],
        x=list(range(first, last)),
        y=[step.index for step in trace.steps],
        text=[[PROVENANCES[run.provenance].letter if run else "" for run in row] for row in grid],
        texttemplate="%{text}",
        hovertext=[[told(run) if run else "" for run in row] for row in grid],
        hovertemplate="step %{y}, position %{x}<br>%{hovertext}<extra></extra>",
        hoverongaps=False,
        colorscale=discrete([row.role for row in PROVENANCES.values()]),
        zmin=0,
        zmax=len(PROVENANCES) - 1,
        showscale=False,
        xgap=0.5,
        ygap=0.5,
        meta=trace.config.method,
    )


def _key(name: str) -> go.Scatter:
    row = PROVENANCES[name]
    marker = {"symbol": "square", "size": 10, "color": theme.colour(row.role)}
    label = f"{name} ({row.letter})" if row.letter else name
    return go.Scatter(x=[None], y=[None], mode="markers", name=label, marker=marker)


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
