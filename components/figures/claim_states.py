"""States and rows as clean passes show them: by layer, by depth, by distance."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words


def by_layer(cosines: Sequence[float], say: Words = ENGLISH) -> go.Figure:
    """How alike the state is before and after each layer."""
    alt = say("Cosine of the state before and after each layer of the target.")
    return _bars(range(len(cosines)), cosines, (say("layer"), say("cosine"), alt))


def by_depth(cosines: Sequence[float], say: Words = ENGLISH) -> go.Figure:
    """How alike the draft's and the target's last states are."""
    alt = say("Cosine of the draft's and the target's last states by depth in the tree.")
    depths = range(1, len(cosines) + 1)
    return _bars(depths, cosines, (say("depth"), say("cosine"), alt))


def _bars(x: Sequence[int], y: Sequence[float], words: tuple[str, str, str]) -> go.Figure:
    across, up, alt = words
    bars = go.Bar(
        x=list(x),
        y=list(y),
        marker={"color": theme.colour("draft")},
        hovertemplate=f"{across} %{{x}}<br>%{{y:.3f}}<extra></extra>",
    )
    layout = theme.layout(alt, height=240)
    layout["xaxis"] = theme.axis(across, showgrid=False, dtick=1 if len(x) < 12 else None)
    layout["yaxis"] = theme.axis(up, range=[0, 1])
    return go.Figure([bars]).update_layout(layout)


def by_distance(errors: Mapping[str, Sequence[float]], say: Words = ENGLISH) -> go.Figure:
    """What one changed token leaves in the rows behind it."""
    names = {"keys": (say("keys"), "draft", "circle"), "values": (say("values"), "bonus", "square")}
    lines = [_line(errors[name], *look) for name, look in names.items()]
    alt = say("Relative error of keys and values by distance behind a changed token.")
    layout = theme.layout(alt, height=260)
    layout["xaxis"] = theme.axis(say("tokens behind the changed one"))
    layout["yaxis"] = theme.axis(say("relative error"), rangemode="tozero")
    return go.Figure(lines).update_layout(layout)


def _line(errors: Sequence[float], name: str, role: str, symbol: str) -> go.Scatter:
    return go.Scatter(
        x=list(range(len(errors))),
        y=list(errors),
        mode="lines+markers",
        name=name,
        line={"color": theme.colour(role), "width": 2},
        marker={"symbol": symbol, "size": 7},
        hovertemplate="%{x}: %{y:.3f}<extra>" + name + "</extra>",
    )
