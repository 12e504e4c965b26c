"""Acceptance by depth of the tree, EAGLE beside EAGLEY."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words

Depths = Mapping[str, Sequence[tuple[float, int]]]
"""By method and depth: the mean rate, and over how many runs."""


def depths_figure(found: Depths, say: Words = ENGLISH) -> go.Figure:
    """Depth × acceptance rate, a line per lane."""
    alt = say("Acceptance rate by depth of the tree, EAGLE beside EAGLEY.")
    layout = theme.layout(alt, height=300)
    layout["xaxis"] = theme.axis(say("depth"), dtick=1)
    layout["yaxis"] = theme.axis(say("acceptance rate"), range=[0, 1])
    return go.Figure([_line(lane, own) for lane, own in found.items()]).update_layout(layout)


def _line(lane: str, own: Sequence[tuple[float, int]]) -> go.Scatter:
    name = theme.LANE_LABELS[lane]
    return go.Scatter(
        x=list(range(1, len(own) + 1)),
        y=[rate for rate, _ in own],
        customdata=[count for _, count in own],
        mode="lines+markers",
        name=name,
        line={
            "color": theme.colour(theme.LANE_COLOURS[lane]),
            "dash": theme.LANE_DASHES[lane],
            "width": 2,
        },
        hovertemplate="%{x}: %{y:.2f} (n = %{customdata})<extra>" + name + "</extra>",
    )
