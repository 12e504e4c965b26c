"""How deep the target followed the draft, step by step."""

from collections.abc import Sequence
from itertools import pairwise

import plotly.graph_objects as go

from components import theme
from components.lane_labels import lane_labels
from components.marks import PROPOSED
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.metrics import levels
from eagley_core.trace import Step, Trace

NOT_TAKEN = {  # label, colour role, letter
    "untested": (Phrase("not tested"), "untested_pale", "U"),
    "rejected": (Phrase("rejected"), "rejected", "R"),
}
OUTCOMES = NOT_TAKEN | {name: (m.short, name, m.letter) for name, m in PROPOSED.items()}
_CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}
LETTERED = 160  # steps: in more, letters would not fit into the cells


def outcomes(step: Step) -> tuple[str, ...]:
    """For each depth of a step's tree: accepted from which source, rejected, or not tested."""
    tested = [
        step.nodes[step.accepted[level.depth - 1]].source if level.accepted else "rejected"
        for level in levels(step)
    ]
    deepest = max((node.depth for node in step.nodes), default=0)
    return (*tested, *["untested"] * (deepest - len(tested)))


def outcome_name(outcome: str, say: Words) -> str:
    """An outcome in words."""
    label = say(OUTCOMES[outcome][0])
    return label if outcome in NOT_TAKEN else say("accepted, {source}", source=label)


def acceptance(comparison: Comparison, lane: Lane, say: Words = ENGLISH) -> go.Figure:
    """Step × depth; blank where the tree did not reach."""
    trace = comparison.lanes[lane]
    table = [outcomes(step) for step in trace.decode_steps]
    figure = go.Figure(_cells(trace, table, say))
    figure.update_traces(meta={"pick": {"method": lane, "step": "x", "depth": "y"}})
    for outcome in _found(table):
        _, role, letter = OUTCOMES[outcome]
        figure.add_trace(key(f"{outcome_name(outcome, say)} ({letter})", role))
    return figure.update_layout(_layout(comparison, lane, say))


def _found(table: Sequence[tuple[str, ...]]) -> list[str]:
    """The outcomes that occur."""
    return [outcome for outcome in OUTCOMES if any(outcome in row for row in table)]


def _deepest(table: Sequence[tuple[str, ...]]) -> int:
    return max(map(len, table), default=1) or 1


def side_by_side(comparison: Comparison, lane: Lane) -> list[Trace]:
    """The lane and those of the two trees: charts of one kind share their depth axis."""
    names = {lane, *comparison.trees} - {None}
    return [comparison.lanes[name] for name in names]


def _cells(trace: Trace, table: Sequence[tuple[str, ...]], say: Words) -> go.Heatmap:
    deepest = _deepest(table)
    grid = [[_at(row, depth) for row in table] for depth in range(deepest)]
    names = {outcome: outcome_name(outcome, say) for outcome in OUTCOMES}
    lettered = len(table) <= LETTERED
    place = say("step {step}, depth {depth}", step="%{x}", depth="%{y}")
    return go.Heatmap(
        z=[[_CODES.get(cell) for cell in line] for line in grid],
        x=[step.index for step in trace.decode_steps],
        y=list(range(1, deepest + 1)),
        text=[[OUTCOMES[cell][2] if cell else "" for cell in line] for line in grid],
        hovertext=[[names[cell] if cell else "" for cell in line] for line in grid],
        texttemplate="%{text}" if lettered else None,
        textfont={"size": 9},
        hovertemplate=place + "<br>%{hovertext}<extra></extra>",
        hoverongaps=False,
        colorscale=discrete([role for _, role, _ in OUTCOMES.values()]),
        zmin=0,
        zmax=len(OUTCOMES) - 1,
        showscale=False,
        xgap=1 if lettered else 0,
        ygap=1,
    )


def _at(row: tuple[str, ...], depth: int) -> str | None:
    return row[depth] if depth < len(row) else None


def discrete(roles: Sequence[str]) -> list[list]:
    """A colour scale of equal bands, one per code 0, 1, 2, …"""
    edges = [0, *((code + 0.5) / (len(roles) - 1) for code in range(len(roles) - 1)), 1]
    return [
        [edge, theme.colour(role)]
        for role, (low, high) in zip(roles, pairwise(edges), strict=True)
        for edge in (low, high)
    ]


def key(label: str, role: str) -> go.Scatter:
    """A legend entry: heatmaps have none of their own."""
    marker = {"symbol": "square", "size": 10, "color": theme.colour(role)}
    return go.Scatter(x=[None], y=[None], mode="markers", name=label, marker=marker)


def _line(deepest: int) -> int:
    """Pixels per depth: deep trees are drawn closer."""
    return max(16, min(26, 260 // deepest))


def _layout(comparison: Comparison, lane: Lane, say: Words) -> dict:
    runs = side_by_side(comparison, lane)
    deepest = max(_deepest([outcomes(step) for step in run.decode_steps]) for run in runs)
    trace = comparison.lanes[lane]
    count = len(trace.decode_steps)
    alt = say(
        "{lane} acceptance by step and depth, {count} steps, depth up to {deepest}.",
        lane=lane_labels(comparison, say)[lane],
        count=count,
        deepest=deepest,
    )
    layout = theme.layout(alt, height=104 + _line(deepest) * deepest)
    layout["meta"] |= {
        "min_width": min(900, 80 + 12 * count),
        "follow": {lane: {"axis": "x"}},
    }
    layout["margin"] = layout["margin"] | {"l": 40}
    layout["xaxis"] = theme.axis(
        say("step"), showgrid=False, range=[0.5, max(count, 1) + 0.5], nticks=20
    )
    layout["yaxis"] = theme.axis(
        say("depth"), showgrid=False, range=[deepest + 0.5, 0.5], dtick=1, title_standoff=4
    )
    layout["uirevision"] = f"{trace.name}-{lane}"
    return layout
