"""What acceptance rules accept against how far they leave the target's law."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words

FAMILIES: Final = {  # rule: colour role, symbol, dash
    "seed-ratio": ("rejected", "square", "solid"),
    "seed-threshold": ("bonus", "diamond", "dash"),
    "top-k": ("purple", "triangle-up", "dot"),
    "typical": ("grey", "cross", "dashdot"),
    "lenience": ("draft", "circle", "solid"),
}


def rules_figure(rows: Sequence[dict[str, Any]], say: Words = ENGLISH) -> go.Figure:
    """Total variation × acceptance at temperature 1, a line per family of rules."""
    hot = [row for row in rows if row["temperature"] == 1]
    own = {name: [r for r in hot if r["rule"].startswith(name)] for name in FAMILIES}
    figure = go.Figure([_line(name, found) for name, found in own.items() if found])
    alt = say(
        "Acceptance against total variation at temperature 1, by rule. Higher at the same total "
        "variation is better."
    )
    layout = theme.layout(alt, height=340)
    layout["xaxis"] = theme.axis(say("total variation from the target's law"), rangemode="tozero")
    layout["yaxis"] = theme.axis(say("acceptance per level"))
    return figure.update_layout(layout)


def _line(name: str, rows: Sequence[dict[str, Any]]) -> go.Scatter:
    role, symbol, dash = FAMILIES[name]
    ordered = sorted(rows, key=lambda row: row["total_variation"])
    return go.Scatter(
        x=[row["total_variation"] for row in ordered],
        y=[row["acceptance"] for row in ordered],
        text=[row["rule"] for row in ordered],
        mode="lines+markers" if name != "typical" else "markers",
        name=name,
        line={"color": theme.colour(role), "width": 2, "dash": dash},
        marker={"symbol": symbol, "size": 8},
        hovertemplate="%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
    )
