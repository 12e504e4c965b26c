"""A chart that has nothing to show, and says why."""

import plotly.graph_objects as go

from components import theme


def quiet(told: str) -> go.Figure:
    """An empty figure with one line of text."""
    layout = theme.layout(told, height=120)
    layout["margin"] = {"l": 8, "r": 8, "t": 8, "b": 8}
    layout["xaxis"] = layout["yaxis"] = {"visible": False, "range": [0, 1], "fixedrange": True}
    words = {"text": told, "x": 0.5, "y": 0.5, "showarrow": False}
    layout["annotations"] = [words | {"font": {"size": 13, "color": theme.colour("muted")}}]
    return go.Figure().update_layout(layout)
