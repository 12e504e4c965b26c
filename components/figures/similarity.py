"""How much states change from layer to layer, and how near the draft's are to the target's."""

import plotly.graph_objects as go

from components import theme
from components.figures.inside import HOW, watched
from components.figures.lane_looks import Look, lane_looks
from components.figures.quiet import quiet
from components.lane_labels import lane_labels
from components.selection import Comparison
from components.words import ENGLISH, Words
from eagley_core.internals import Row


def similarity(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Mean cosines: on the left by layer, on the right by depth of the draft."""
    found, looks = watched(comparison), lane_looks(comparison, say)
    if not found:
        return quiet(say(HOW))
    figure = go.Figure()
    for name, inside in found.items():
        for first, axis, values in (
            (0, "", inside.layer_similarity),
            (1, "2", inside.draft_similarity),
        ):
            if values:
                figure.add_trace(_line(looks[name], first, axis, values))
    named = {name for name, inside in found.items() if inside.layer_similarity}
    for trace in figure.data:
        trace.showlegend = trace.xaxis == "x" or trace.name not in {looks[n].label for n in named}
    return figure.update_layout(_layout(comparison, say))


def _line(look: Look, first: int, axis: str, values: Row) -> go.Scatter:
    return go.Scatter(
        x=list(range(first, first + len(values))),
        y=[round(value, 4) for value in values],
        mode="lines+markers",
        name=look.label,
        legendgroup=look.label,
        xaxis=f"x{axis}",
        yaxis=f"y{axis}",
        hovertemplate="%{x}: %{y:.3f}<extra>" + look.label + "</extra>",
        marker={"size": 5, "color": theme.colour(look.role)},
        line={"width": 2, "color": theme.colour(look.role), "dash": look.dash},
    )


def _layout(comparison: Comparison, say: Words) -> dict:
    labels, told = lane_labels(comparison, say), []
    for name, inside in watched(comparison).items():
        if inside.draft_similarity:
            depths = ", ".join(f"{value:.2f}" for value in inside.draft_similarity)
            told.append(f"{labels[name]} {depths}")
    alt = say(
        "Cosine of states by layer, and of the draft's and the target's last states by depth: "
        "{lanes}.",
        lanes="; ".join(told) or "–",
    )
    layout = theme.layout(alt, height=320)
    layout["meta"]["min_width"] = 620
    layout["xaxis"] = theme.axis(say("layer: state before it and after it"), domain=[0, 0.56])
    layout["xaxis2"] = theme.axis(
        say("depth: the draft's state and the target's"), domain=[0.66, 1], anchor="y2", dtick=1
    )
    layout["yaxis"] = theme.axis(say("mean cosine"), range=[-0.1, 1.05])
    layout["yaxis2"] = theme.axis(anchor="x2", range=[-0.1, 1.05])
    layout["uirevision"] = f"{comparison.name}-similarity"
    return layout
