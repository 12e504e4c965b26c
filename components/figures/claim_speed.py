"""Speed-ups of the seed's formulas beside the measured ones."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words
from eagley_core.seed_fit import Measured
from eagley_core.theory import seed_standard


def predicted_figure(points: Sequence[Measured], say: Words = ENGLISH) -> go.Figure:
    """One mark per question and numerator: predicted × measured; on the diagonal both agree."""
    kinds = {"drafted": ("αk", "rejected", "square"), "with_bonus": ("αk + 1", "draft", "circle")}
    figure = go.Figure([_marks(points, kind, look) for kind, look in kinds.items()])
    alt = say("EAGLE's speed-up as the seed's formula predicts it, against the measured one.")
    layout = theme.layout(alt, height=340)
    layout["xaxis"] = theme.axis(say("predicted speed-up over vanilla"))
    layout["yaxis"] = theme.axis(say("measured"))
    layout["shapes"] = [diagonal([point.eagle for point in points])]
    return figure.update_layout(layout)


def _marks(points: Sequence[Measured], kind: str, look: tuple[str, str, str]) -> go.Scatter:
    name, role, symbol = look
    return go.Scatter(
        x=[getattr(seed_standard(point.step), kind) for point in points],
        y=[point.eagle for point in points],
        text=[point.prompt for point in points],
        mode="markers",
        name=name,
        marker={"color": theme.colour(role), "symbol": symbol, "size": 7, "opacity": 0.8},
        hovertemplate="%{text}: %{x:.2f} → %{y:.2f}<extra>" + name + "</extra>",
    )


def diagonal(values: Sequence[float]) -> dict:
    """Where both axes agree."""
    line = {"color": theme.colour("muted"), "width": 1, "dash": "dot"}
    low, high = min(values), max(values)
    return {"type": "line", "x0": low, "y0": low, "x1": high, "y1": high, "line": line}


def trees_figure(by_tree: Sequence[dict[str, Any]], say: Words = ENGLISH) -> go.Figure:
    """Tree × speed-up, measured in both lanes and predicted with the bonus token."""
    lines = [
        *(
            _line(by_tree, lambda row, lane=lane: row["measured"][lane], lane)
            for lane in ("eagle", "eagley")
        ),
        _line(by_tree, lambda row: row["seed"]["with_bonus"], "seed"),
    ]
    alt = say("Speed-up over vanilla by tree size: EAGLE, EAGLEY and the seed's formula.")
    layout = theme.layout(alt, height=280)
    layout["xaxis"] = theme.axis(say("tree"), type="category")
    layout["yaxis"] = theme.axis(say("speed-up over vanilla"))
    return go.Figure(lines).update_layout(layout)


def _line(by_tree: Sequence[dict[str, Any]], figure, lane: str) -> go.Scatter:
    names = {"eagle": "EAGLE", "eagley": "EAGLEY", "seed": "αk + 1"}
    role = theme.LANE_COLOURS.get(lane, "bonus")
    return go.Scatter(
        x=[row["tree"] for row in by_tree],
        y=[figure(row) for row in by_tree],
        mode="lines+markers",
        name=names[lane],
        line={"color": theme.colour(role), "dash": theme.LANE_DASHES.get(lane, "dot"), "width": 2},
        hovertemplate="%{x}: %{y:.2f}<extra>" + names[lane] + "</extra>",
    )
