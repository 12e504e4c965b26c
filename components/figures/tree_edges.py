"""The lines of a draft tree: dash by source, strong along the accepted path. Lines to reused nodes
say which row they were kept from: “↰s12·3” is node 3 of step 12, “↰p31” prompt position 31."""

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from components import theme
from components.figures.tidy import Spot
from components.marks import DRAWN, PROPOSED
from components.selection import ROOT, parent
from eagley_core.trace import Origin, Step


def edges(step: Step, spots: dict[int, Spot]) -> Iterable[go.Scatter]:
    """One line trace per source, for the accepted path and for the rest."""
    accepted = set(step.accepted)
    for is_path in (False, True):
        for source in PROPOSED:
            group = [
                (node.parent, index)
                for index, node in enumerate(step.nodes)
                if node.source == source and (index in accepted) == is_path
            ]
            if group:
                yield _edge(source, is_path, [(spots[a], spots[b]) for a, b in group])
    bonus = len(step.nodes)
    yield _edge("bonus", True, [(spots[parent(step, bonus)], spots[bonus])])


def _edge(source: str, is_path: bool, pairs: Sequence[tuple[Spot, Spot]]) -> go.Scatter:
    x, y = [], []
    for start, stop in pairs:
        bend = start.x + 0.3
        x += [start.x, bend, bend, stop.x, None]
        y += [start.y, start.y, stop.y, stop.y, None]
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        name=f"{source}, {'accepted' if is_path else 'not accepted'}",
        line={
            "color": theme.colour(source if is_path else "edge"),
            "width": 3 if is_path else 1.25,
            "dash": DRAWN[source].dash,
        },
        hoverinfo="skip",
        showlegend=False,
        meta={"edge": source, "path": is_path},
    )


def badges(step: Step, spots: dict[int, Spot], turn: int) -> list[go.Scatter]:
    """Over the line to each stored node, the row that it was kept from, in a run of this turn."""
    kept = [(i, node) for i, node in enumerate(step.nodes) if node.origin is not None]
    if not kept:
        return []
    return [
        go.Scatter(
            x=[spots[index].x - 0.38 for index, _ in kept],
            y=[spots[index].y for index, _ in kept],
            mode="text",
            text=[badge(node.origin, turn) for _, node in kept],
            textposition="top center",
            textfont={
                "family": theme.MONO,
                "size": 9,
                "color": [theme.colour(node.source) for _, node in kept],
            },
            hoverinfo="skip",
            showlegend=False,
            meta={"badges": True},
        )
    ]


def badge(origin: Origin, turn: int) -> str:
    """A stored item's row in a few characters."""
    when = "" if origin.turn == turn else f"t{origin.turn + 1}·"
    if origin.step == 0:
        return f"↰{when}p{origin.node}"
    node = "r" if origin.node == ROOT else origin.node
    return f"↰{when}s{origin.step}·{node}"
