"""Heatmaps of a sweep: two of its axes, and a colour for what was measured there."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Phrase, Words

Interval = Mapping[str, float | None]
UNKNOWN: Final = {"median": None, "low": None, "high": None}
AXES: Final = {
    "tree.total": Phrase("tree size (most nodes)"),
    "tree.depth": Phrase("tree depth"),
    "tree.top_k": Phrase("branches per node"),
    "rule": Phrase("acceptance rule"),
    "reuse": Phrase("reuse channels"),
    "temperature": Phrase("temperature"),
    "coupled": Phrase("coupled drafting"),
}
LENGTH, OVER_VANILLA, OVER_EAGLE = "length", "vanilla", "eagle"
COLOURS: Final = {
    OVER_VANILLA: Phrase("speed-up over vanilla"),
    LENGTH: Phrase("mean accepted length"),
    OVER_EAGLE: Phrase("speed-up over EAGLE"),
}


class View(NamedTuple):
    """Which cut of the grid is drawn. `at`: the value of every axis that is neither x nor y."""

    x: str
    y: str | None  # None: a grid of one axis
    method: str
    colour: str
    at: Mapping[str, Any]


def methods(result: Mapping[str, Any]) -> list[str]:
    """Those that the sweep varies."""
    found = {name for point in result["points"] for name in point["methods"]}
    return [name for name in ("eagle", "eagley") if name in found]


def measured(point: Mapping[str, Any], method: str, colour: str) -> Interval:
    """A figure at one place, with its interval; unknown where it was not measured."""
    if colour != LENGTH:
        return point["speedup"].get(f"{method}_vs_{colour}") or UNKNOWN
    found = point["methods"].get(method, {}).get("intervals", {})
    return found.get("mean_accepted_length") or UNKNOWN


def cells(result: Mapping[str, Any], view: View) -> list[list[Interval]]:
    """The cut, a row for every value of y and a column for every value of x."""
    places = {_place(result, point["at"]): point for point in result["points"]}
    rows = result["axes"][view.y] if view.y else [None]

    def cell(x: Any, y: Any) -> Interval:
        here = {**view.at, view.x: x} | ({view.y: y} if view.y else {})
        point = places.get(_place(result, here))
        return measured(point, view.method, view.colour) if point else UNKNOWN

    return [[cell(x, y) for x in result["axes"][view.x]] for y in rows]


def spelt(value: Any, say: Words = ENGLISH) -> str:
    """A value of an axis in words."""
    if isinstance(value, bool):
        return say("on") if value else say("off")
    return str(value)


def _place(result: Mapping[str, Any], at: Mapping[str, Any]) -> tuple:
    return tuple(at.get(name) for name in result["axes"])


def sweep_map(result: Mapping[str, Any], view: View, say: Words = ENGLISH) -> go.Figure:
    """The cut as a heatmap; the interval is in the hover and small in the cell."""
    found = cells(result, view)
    rows = result["axes"][view.y] if view.y else [""]
    heat = go.Heatmap(
        x=[spelt(value, say) for value in result["axes"][view.x]],
        y=[spelt(value, say) for value in rows],
        z=[[cell["median"] for cell in row] for row in found],
        text=[[_in_cell(cell) for cell in row] for row in found],
        customdata=[[_spoken(cell, say) for cell in row] for row in found],
        texttemplate="%{text}",
        textfont={"size": 12},
        hovertemplate=_hover(view, say),
        hoverongaps=False,
        xgap=2,
        ygap=2,
        colorscale=[[0, theme.colour("draft_pale")], [1, theme.colour("draft")]],
        colorbar={"title": {"text": say(COLOURS[view.colour]), "side": "right"}, "thickness": 12},
    )
    layout = theme.layout(_alt(found, view, say), height=150 + 44 * len(rows))
    layout["xaxis"] = theme.axis(say(AXES[view.x]), type="category", showgrid=False)
    layout["yaxis"] = theme.axis(
        say(AXES[view.y]) if view.y else None, type="category", showgrid=False, automargin=True
    )
    layout["meta"] = layout["meta"] | {"min_width": 120 + 74 * len(result["axes"][view.x])}
    return go.Figure(heat).update_layout(layout)


def _hover(view: View, say: Words) -> str:
    lines = [f"{say(AXES[view.x])}: %{{x}}"]
    lines += [f"{say(AXES[view.y])}: %{{y}}"] if view.y else []
    return "<br>".join([*lines, say(COLOURS[view.colour]) + ": %{customdata}<extra></extra>"])


def _in_cell(cell: Interval) -> str:
    return "" if cell["median"] is None else f"{cell['median']:.2f}"


def _spoken(cell: Interval, say: Words) -> str:
    if cell["median"] is None:
        return say("not measured")
    numbers = {name: f"{cell[name]:.3f}" for name in ("median", "low", "high")}
    return say("{median} ({low} to {high})", **numbers)


def _alt(found: Sequence[Sequence[Interval]], view: View, say: Words) -> str:
    known = [cell["median"] for row in found for cell in row if cell["median"] is not None]
    what, lane = say(COLOURS[view.colour]), theme.LANE_LABELS[view.method]
    if not known:
        return say("{figure} of {lane}: not measured.", figure=what, lane=lane)
    low, high = f"{min(known):.2f}", f"{max(known):.2f}"
    return say("{figure} of {lane}: {low} to {high}.", figure=what, lane=lane, low=low, high=high)
