"""Speed-ups of every question by the length of its output."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words

Row = dict[str, Any]


def lengths_figure(points: Sequence[tuple[Row, Row, Row]], say: Words = ENGLISH) -> go.Figure:
    """Output tokens × speed-up of EAGLEY. points: the runs of EAGLEY, EAGLE and vanilla."""
    known = [p for p in points if all(row["decode_tokens_per_second"] for row in p)]
    over = {
        say("over vanilla"): (2, "draft", "circle"),
        say("over EAGLE"): (1, "purple", "diamond"),
    }
    figure = go.Figure([_marks(known, name, look) for name, look in over.items()])
    alt = say("Speed-up of EAGLEY over vanilla and over EAGLE by length of the output.")
    layout = theme.layout(alt, height=320)
    layout["xaxis"] = theme.axis(say("output tokens"), rangemode="tozero")
    layout["yaxis"] = theme.axis(say("speed-up"), rangemode="tozero")
    return figure.update_layout(layout)


def _marks(
    points: Sequence[tuple[Row, Row, Row]], name: str, look: tuple[int, str, str]
) -> go.Scatter:
    base, role, symbol = look
    speeds = [[row["decode_tokens_per_second"] for row in point] for point in points]
    return go.Scatter(
        x=[point[0]["new_tokens"] for point in points],
        y=[own[0] / own[base] for own in speeds],
        text=[f"{point[0]['category']}, {point[0]['question_id']}" for point in points],
        mode="markers",
        name=name,
        marker={"color": theme.colour(role), "symbol": symbol, "size": 7, "opacity": 0.8},
        hovertemplate="%{text}: %{x}, %{y:.2f}<extra>" + name + "</extra>",
    )
