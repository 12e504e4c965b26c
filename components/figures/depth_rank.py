"""How often the draft's first, second, … choice was right, by depth."""

from collections import Counter
from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.acceptance import side_by_side
from components.lane_labels import lane_labels
from components.selection import ROOT, Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.metrics import Ratio
from eagley_core.trace import Step, Trace

KEPT: Final = 0  # the rank of nodes that the draft did not score


class Cell(NamedTuple):
    """`rank` 1 is the draft's favourite among the children of one node."""

    depth: int
    rank: int


def by_depth_and_rank(trace: Trace) -> dict[Cell, Ratio]:
    """Accepted over reached nodes. A node is reached when its parent was accepted, so the shares
    of one depth add up to the chance that any of its nodes is accepted there."""
    hits, reached = Counter(), Counter()
    for step in trace.decode_steps:
        for cell, is_accepted in _cells(step):
            reached[cell] += 1
            hits[cell] += is_accepted
    return {cell: Ratio(hits[cell], reached[cell]) for cell in sorted(reached)}


def _cells(step: Step) -> list[tuple[Cell, bool]]:
    found = []
    for depth, parent in enumerate((ROOT, *step.accepted), start=1):
        nodes = [node for node in step.nodes if node.parent == parent]
        scored = [node for node in nodes if node.draft_probability is not None]
        scored.sort(key=lambda node: -node.draft_probability)
        ranks = {id(node): rank for rank, node in enumerate(scored, start=1)}
        found += [
            (Cell(depth, ranks.get(id(node), KEPT)), node.verdict == "accepted") for node in nodes
        ]
    return found


def depth_rank(comparison: Comparison, lane: Lane, say: Words = ENGLISH) -> go.Figure:
    """Depth × the draft's rank, coloured by the share that was accepted."""
    found = by_depth_and_rank(comparison.lanes[lane])
    runs = side_by_side(comparison, lane)
    deepest = max((cell.depth for run in runs for cell in by_depth_and_rank(run)), default=1)
    ranks = sorted({cell.rank for cell in found}, key=lambda rank: (rank == KEPT, rank)) or [1]
    figure = go.Figure(_heat(found, range(1, deepest + 1), ranks, say))
    figure.update_layout(_layout(comparison, lane, deepest, say))
    return figure.update_xaxes(tickvals=list(range(len(ranks))), ticktext=_names(ranks, say))


def _heat(found: dict[Cell, Ratio], depths: range, ranks: list[int], say: Words) -> go.Heatmap:
    grid = [[found.get(Cell(depth, rank)) for rank in ranks] for depth in depths]
    told = say(
        "depth {depth}, {rank}<br>{share} of the reached nodes accepted, {counts}",
        depth="%{y}",
        rank="%{hovertext}",
        share="%{z:.1%}",
        counts="%{customdata}",
    )
    names = _names(ranks, say)
    return go.Heatmap(
        z=[[cell and cell.value for cell in row] for row in grid],
        y=list(depths),
        text=[[_told(cell) for cell in row] for row in grid],
        texttemplate="%{text}",
        customdata=[[f"{c.hits}/{c.tested}" if c else "" for c in row] for row in grid],
        hovertext=[names for _ in depths],
        hovertemplate=f"{told}<extra></extra>",
        hoverongaps=False,
        colorscale=[[0, theme.colour("untested_pale")], [1, theme.colour("draft-state")]],
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=2,
        ygap=2,
    )


def _told(cell: Ratio | None) -> str:
    return f"{cell.value:.0%}<br>{cell.hits}/{cell.tested}" if cell else ""


def _names(ranks: list[int], say: Words) -> list[str]:
    return [
        say("not drafted") if rank == KEPT else say("choice {rank}", rank=rank) for rank in ranks
    ]


def _layout(comparison: Comparison, lane: Lane, deepest: int, say: Words) -> dict:
    alt = say(
        "{lane}: share of reached nodes that were accepted, by depth up to {deepest} and by the "
        "draft's choice.",
        lane=lane_labels(comparison, say)[lane],
        deepest=deepest,
    )
    layout = theme.layout(alt, height=90 + 42 * deepest)
    layout["margin"] = layout["margin"] | {"l": 40, "t": 16}
    layout["xaxis"] = theme.axis(say("the draft's choice among siblings"), showgrid=False)
    layout["yaxis"] = theme.axis(
        say("depth"), showgrid=False, range=[deepest + 0.5, 0.5], dtick=1, title_standoff=4
    )
    layout["uirevision"] = f"{comparison.name}-{lane}-ranks"
    return layout
