"""Where every row of the target's cache came from, step by step."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.acceptance import discrete, key
from components.lane_labels import lane_labels
from components.marks import PROVENANCES, provenances
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.trace import CacheRun, Step, Trace

_CODES = {name: code for code, name in enumerate(PROVENANCES)}
SHOWN_PROMPT = 6  # prompt positions at the left edge; the others look the same
MOST = 240  # steps, and positions, that are drawn singly
GAPPED = 100  # positions: with more, gaps would be as wide as cells


class Grid(NamedTuple):
    """A cell stands for `steps` × `positions`; it shows what is rarest among them."""

    first: int  # position at the left edge
    last: int
    steps: int
    positions: int
    rows: list[list[CacheRun | None]]

    @property
    def is_whole(self) -> bool:
        return self.steps == self.positions == 1


def provenance(comparison: Comparison, lane: Lane, say: Words = ENGLISH) -> go.Figure:
    """Step × position, coloured by provenance; the newest step is at the bottom."""
    trace = comparison.lanes[lane]
    grid = drawn_grid(trace)
    figure = go.Figure(_cells(grid, say))
    figure.update_traces(meta={"pick": {"method": lane, "step": "y", "depth": None}})
    for name in provenances(trace.steps):
        row = PROVENANCES[name]
        label = say(name)
        figure.add_trace(key(f"{label} ({row.letter})" if row.letter else label, row.role))
    return figure.update_layout(_layout(comparison, lane, grid, say))


def drawn_grid(trace: Trace) -> Grid:
    """The cells of a run; a long run's are summed up to keep them few."""
    first = max(0, len(trace.prompt_ids) - SHOWN_PROMPT)
    ends = [run.stop for step in trace.steps for run in step.cache]
    last = max([first + 1, *ends])
    steps, positions = ceil(len(trace.steps) / MOST), ceil((last - first) / MOST)
    groups = [trace.steps[i : i + steps] for i in range(0, len(trace.steps), steps)]
    rows = [_rarest(group, (first, last), positions) for group in groups]
    return Grid(first, last, steps, positions, rows)


def line(step: Step, first: int, last: int) -> list[CacheRun | None]:
    """The runs of positions first..last-1 after one step; None where nothing was written."""
    cells: list[CacheRun | None] = [None] * (last - first)
    for run in step.cache:
        start, stop = max(run.start, first), min(run.stop, last)
        cells[start - first : stop - first] = [run] * max(stop - start, 0)
    return cells


def _rarest(steps: Sequence[Step], span: tuple[int, int], positions: int) -> list[CacheRun | None]:
    """One row for several steps, one cell for several positions."""
    lines = [line(step, *span) for step in steps]
    columns = [
        [row[i : i + positions] for row in lines] for i in range(0, len(lines[0]), positions)
    ]
    return [
        max((run for part in column for run in part if run), key=_weight, default=None)
        for column in columns
    ]


def _weight(run: CacheRun) -> int:
    """PROVENANCES goes from the usual to the rare."""
    return _CODES[run.provenance]


def told(run: CacheRun, say: Words = ENGLISH) -> str:
    """A row's provenance in words, with the age of a stale one in tokens."""
    name = say(run.provenance)
    if run.age is None:
        return name
    return say("{provenance}, age {count}", provenance=name, count=run.age)


def _cells(grid: Grid, say: Words) -> go.Heatmap:
    place = say("step {step}, position {position}", step="%{y}", position="%{x}")
    return go.Heatmap(
        z=[[run and _CODES[run.provenance] for run in row] for row in grid.rows],
        x0=grid.first + (grid.positions - 1) / 2,
        dx=grid.positions,
        y0=grid.steps // 2,
        dy=grid.steps,
        text=[[run and PROVENANCES[run.provenance].letter for run in row] for row in grid.rows],
        texttemplate="%{text}" if grid.is_whole else None,
        hovertext=[[told(run, say) if run else "" for run in row] for row in grid.rows],
        hovertemplate=place + "<br>%{hovertext}<extra></extra>",
        hoverongaps=False,
        colorscale=discrete([row.role for row in PROVENANCES.values()]),
        zmin=0,
        zmax=len(PROVENANCES) - 1,
        showscale=False,
        xgap=0.5 if grid.is_whole and len(grid.rows[0]) <= GAPPED else 0,
        ygap=0.5 if grid.is_whole else 0,
    )


def _layout(comparison: Comparison, lane: Lane, grid: Grid, say: Words) -> dict:
    trace = comparison.lanes[lane]
    alt = say(
        "{lane} cache provenance over {count} steps, to position {last}.",
        lane=lane_labels(comparison, say)[lane],
        count=len(trace.steps),
        last=grid.last - 1,
    )
    layout = theme.layout(alt, height=min(620, 150 + 8 * len(trace.steps)))
    layout["meta"]["follow"] = {lane: {"axis": "y"}}
    layout["margin"] = layout["margin"] | {"l": 44}
    layout["xaxis"] = theme.axis(_positions(grid, say), showgrid=False)
    bottom = trace.steps[-1].index + 0.5
    layout["yaxis"] = theme.axis(say("step"), showgrid=False, range=[bottom, -0.5])
    layout["uirevision"] = f"{trace.name}-{lane}"
    return layout


def _positions(grid: Grid, say: Words) -> str:
    """What the cells stand for, and what is left of them."""
    if not grid.is_whole:
        return say(
            "position; a cell is the rarest of {steps} steps × {positions} positions",
            steps=grid.steps,
            positions=grid.positions,
        )
    if not grid.first:
        return say("position")
    return say("position (0 to {last}, the prompt's beginning, left out)", last=grid.first - 1)
