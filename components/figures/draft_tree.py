"""One step's draft tree with the target's verdicts."""

from collections.abc import Iterable
from typing import NamedTuple

import plotly.graph_objects as go

from components import theme
from components.explain import facts
from components.figures.tidy import Spot, rows, tidy
from components.figures.tree_edges import edges
from components.labels import drawn, short
from components.selection import ROOT, Place
from eagley_core.trace import Step, Trace

PITCH = 36  # pixels per row
COLUMN = 78  # least pixels per depth
USUAL = 0.75  # share of the trees that are drawn at full pitch
FEWEST = 5  # rows


class Extent(NamedTuple):
    """Room for the trees of a run, so that the page does not jump from step to step."""

    rows: int  # what most trees need; the few larger ones are drawn closer
    depth: int


def extent(traces: Iterable[Trace]) -> Extent:
    steps = [step for trace in traces for step in trace.decode_steps]
    deepest = [max([n.depth for n in step.nodes] + [len(step.accepted) + 1]) for step in steps]
    needed = sorted(map(rows, steps)) or [1]
    most = needed[int(USUAL * (len(needed) - 1))]
    return Extent(max(most, FEWEST), max(deepest, default=1))


def draft_tree(trace: Trace, place: Place, room: Extent) -> go.Figure:
    """The tree of `place.step`, best guesses first, with `place.node` ringed."""
    step = place.step
    spots = tidy(step)
    figure = go.Figure()
    for trace_part in (*edges(step, spots), *_nodes(trace, step, spots)):
        figure.add_trace(trace_part)
    figure.add_trace(_ends(trace, step, spots))
    figure.add_trace(_labels(trace, step, spots))
    figure.add_trace(_ring(spots[place.node]))
    return figure.update_layout(_layout(trace, step, room))


def _nodes(trace: Trace, step: Step, spots: dict[int, Spot]) -> Iterable[go.Scatter]:
    """One marker trace per verdict and source: symbol and letter by verdict, shade by p."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, node in enumerate(step.nodes):
        role = node.source if node.verdict == "accepted" else node.verdict
        groups.setdefault((node.verdict, role), []).append(index)
    for (verdict, role), members in groups.items():
        yield _markers(trace, step, spots, (verdict, role, members))


def _markers(
    trace: Trace, step: Step, spots: dict[int, Spot], group: tuple[str, str, list[int]]
) -> go.Scatter:
    verdict, role, members = group
    nodes = [step.nodes[index] for index in members]
    shades = [node.raw_probability for node in nodes]
    letters = [theme.colour("on_fill" if shade > 0.8 else "ink") for shade in shades]
    return go.Scatter(
        x=[spots[index].x for index in members],
        y=[spots[index].y for index in members],
        mode="markers+text",
        name=verdict,
        text=[theme.LETTERS[verdict]] * len(members),
        textfont={"size": 9, "color": letters},
        customdata=members,
        hovertext=[_hover(trace, Place(step, index)) for index in members],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "symbol": theme.SYMBOLS[verdict],
            "size": [_size(n.draft_probability if n.value is None else n.value) for n in nodes],
            "color": shades,
            "cmin": 0,
            "cmax": 1,
            "colorscale": [[0, theme.colour(f"{role}_pale")], [1, theme.colour(role)]],
            "line": {"color": theme.colour(role), "width": 1.5},
        },
        showlegend=False,
        meta={"verdict": verdict, "role": role},
    )


def _size(expected: float | None) -> float:
    """Marker size by what was expected of the node before the target saw it."""
    return 14 + 8 * (expected or 0) ** 0.5


def _ends(trace: Trace, step: Step, spots: dict[int, Spot]) -> go.Scatter:
    """The root, and the bonus at the end of the accepted path."""
    ends = [ROOT, len(step.nodes)]
    return go.Scatter(
        x=[spots[index].x for index in ends],
        y=[spots[index].y for index in ends],
        mode="markers+text",
        name="root and bonus",
        text=["", "B"],
        textfont={"size": 9, "color": theme.colour("ink")},
        customdata=ends,
        hovertext=[_hover(trace, Place(step, index)) for index in ends],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "symbol": ["circle-dot", "hexagon"],
            "size": [14, 19],
            "color": [theme.colour("muted"), theme.colour("bonus")],
            "opacity": [1, 0.4 if step.is_cut else 1],
            "line": {"color": [theme.colour("ink"), theme.colour("bonus")], "width": 1.5},
        },
        showlegend=False,
        meta={"ends": True},
    )


def _labels(trace: Trace, step: Step, spots: dict[int, Spot]) -> go.Scatter:
    ids = {ROOT: step.root_id, len(step.nodes): step.bonus_id}
    ids |= {index: node.token_id for index, node in enumerate(step.nodes)}
    texts = [drawn(short(trace.token_texts.get(ids[index], f"⟨{ids[index]}⟩"))) for index in spots]
    strong = {ROOT, *step.accepted, len(step.nodes)}
    colours = [theme.colour("ink" if index in strong else "muted") for index in spots]
    return go.Scatter(
        x=[spot.x for spot in spots.values()],
        y=[spot.y for spot in spots.values()],
        mode="markers+text",  # the unseen markers hold the text off the nodes
        marker={"size": 21, "opacity": 0},
        text=texts,
        textposition="top center",
        textfont={"family": theme.MONO, "size": 11, "color": colours},
        hoverinfo="skip",
        showlegend=False,
        meta={"labels": True},
    )


def _ring(spot: Spot) -> go.Scatter:
    return go.Scatter(
        x=[spot.x],
        y=[spot.y],
        mode="markers",
        marker={
            "symbol": "circle-open",
            "size": 27,
            "line": {"width": 2.5},
            "color": theme.colour("ring"),
        },
        hoverinfo="skip",
        showlegend=False,
        meta={"ring": True},
    )


def _hover(trace: Trace, place: Place) -> str:
    lines = [f"<b>{label}</b>  {drawn(value)}" for label, value in facts(trace, place)]
    return "<br>".join(lines)


def _layout(trace: Trace, step: Step, room: Extent) -> dict:
    won = len(step.accepted)
    alt = (
        f"{trace.label} draft tree of step {step.index}: {len(step.nodes)} nodes, "
        f"{won} accepted, then the target's own token."
    )
    pitch = min(PITCH, max(26, 600 / room.rows))
    layout = theme.layout(alt, height=int(pitch * room.rows + 60), showlegend=False)
    layout["margin"] = {"l": 8, "r": 8, "t": 20, "b": 34}
    layout["meta"]["min_width"] = COLUMN * (room.depth + 1)
    layout["xaxis"] = theme.axis(
        "depth",
        range=[-0.5, room.depth + 0.5],
        tickmode="array",
        tickvals=list(range(room.depth + 1)),
        ticktext=["root", *map(str, range(1, room.depth + 1))],
        showgrid=True,
    )
    layout["yaxis"] = {"range": [max(room.rows, rows(step)) - 0.4, -0.75], "visible": False}
    layout["uirevision"] = f"{trace.name}-{trace.label}"
    return layout
