"""The formulas' curves by tree size, with the measured points beside them.

A trace's `meta.curve` names what the page's script draws anew when a slider moves.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words
from eagley_core.theory import Prices, best_trees, chains, seed_chain, shape_speedup

MOST: Final = 63  # nodes: a pass of 64 rows
LOOKS: Final = {  # colour role and dash
    "tree": ("draft", "solid"),
    "chain": ("purple", "dash"),
    "seed": ("rejected", "dot"),
    "seed_eagley": ("bonus", "dashdot"),
}


class Setting(NamedTuple):
    """Where the sliders stand."""

    alpha: float
    draft: float
    row: float
    beta: float

    @property
    def prices(self) -> Prices:
        return Prices(self.draft, self.row)


class Point(NamedTuple):
    """A lane on one category of questions: means, and the median speed-up."""

    lane: str
    category: str
    nodes: float  # per pass
    tokens: float  # per step
    speed: float  # over vanilla


def token_curves(at: Setting) -> dict[str, list[float]]:
    """Expected tokens per step for 1 … MOST nodes."""
    counts = range(1, MOST + 1)
    return {
        "tree": [shape.tokens for shape in best_trees(at.alpha, MOST)[1:]],
        "chain": [shape.tokens for shape in chains(at.alpha, MOST)[1:]],
        "seed": [at.alpha * k for k in counts],
    }


def speed_curves(at: Setting) -> dict[str, list[float]]:
    """Speed-up over vanilla for 1 … MOST nodes."""
    counts, prices = range(1, MOST + 1), at.prices
    trees, lines = best_trees(at.alpha, MOST), chains(at.alpha, MOST)
    return {
        "tree": [shape_speedup(trees[n], n, prices) for n in counts],
        "chain": [shape_speedup(lines[n], n, prices) for n in counts],
        "seed": [seed_chain(at.alpha, n, prices) for n in counts],
        "seed_eagley": [seed_chain(at.alpha, n, prices, at.beta) for n in counts],
    }


def tokens_figure(at: Setting, points: Sequence[Point], say: Words = ENGLISH) -> go.Figure:
    """Nodes × tokens per step."""
    alt = say("Expected tokens per step by number of nodes: best tree, chain, the seed's αk.")
    marks, curves = _marks(points, lambda point: point.tokens, say), token_curves(at)
    figure = _figure(curves, marks, (say("tokens per step"), alt), say)
    # The seed's αk grows without bound: it may leave the figure, and the others stay readable.
    figure.update_layout(meta=figure.layout.meta | {"free": ["seed"]})
    return figure


def speed_figure(at: Setting, points: Sequence[Point], say: Words = ENGLISH) -> go.Figure:
    """Nodes × speed-up over vanilla."""
    alt = say("Speed-up over vanilla by number of nodes: best tree, chain, the seed's formulas.")
    marks = _marks(points, lambda point: point.speed, say)
    return _figure(speed_curves(at), marks, (say("speed-up over vanilla"), alt), say)


def _figure(
    curves: dict[str, list[float]], marks: list[go.Scatter], words: tuple[str, str], say: Words
) -> go.Figure:
    up, alt = words
    names = {
        "tree": say("best tree (cost model)"),
        "chain": say("chain (Leviathan)"),
        "seed": say("seed, standard"),
        "seed_eagley": say("seed, EAGLEY"),
    }
    lines = [_line(curve, names[curve], values) for curve, values in curves.items()]
    layout = theme.layout(alt, height=360)
    layout["meta"] = layout["meta"] | {"min_width": 320}
    layout["margin"] = layout["margin"] | {"t": 64}
    layout["xaxis"] = theme.axis(say("nodes in the tree (k of a chain)"), range=[0, MOST])
    layout["yaxis"] = theme.axis(up, rangemode="tozero")
    layout["uirevision"] = "theory"
    return go.Figure([*lines, *marks]).update_layout(layout)


def _line(curve: str, name: str, values: list[float]) -> go.Scatter:
    role, dash = LOOKS[curve]
    return go.Scatter(
        x=list(range(1, MOST + 1)),
        y=values,
        mode="lines",
        name=name,
        meta={"curve": curve},
        line={"color": theme.colour(role), "dash": dash, "width": 2.5},
        hovertemplate="%{x}: %{y:.2f}<extra>" + name + "</extra>",
    )


def _marks(
    points: Sequence[Point], figure: Callable[[Point], float], say: Words
) -> list[go.Scatter]:
    """The measured points, a trace per lane."""
    looks = {"eagle": ("EAGLE", "diamond", "muted"), "eagley": ("EAGLEY", "circle", "ink")}
    return [
        _lane([point for point in points if point.lane == lane], figure, look, say)
        for lane, look in looks.items()
    ]


def _lane(
    points: Sequence[Point], figure: Callable[[Point], float], look: tuple, say: Words
) -> go.Scatter:
    name, symbol, role = look
    return go.Scatter(
        x=[point.nodes for point in points],
        y=[figure(point) for point in points],
        text=[point.category for point in points],
        mode="markers",
        name=say("measured, {lane}", lane=name),
        marker={"symbol": symbol, "size": 8, "color": theme.colour(role)},
        hovertemplate="%{text}: %{x:.1f}, %{y:.2f}<extra>" + name + "</extra>",
    )
