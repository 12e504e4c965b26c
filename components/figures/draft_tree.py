"""One step's draft tree with the target's verdicts."""

from collections.abc import Iterable
from typing import NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.tidy import Spot, rows, tidy
from components.figures.tree_edges import badges, edges
from components.labels import drawn, short
from components.selection import ROOT, parent
from components.words import ENGLISH, Words
from eagley_core.trace import Step, Trace

PITCH = 36  # pixels per row
CLOSE = 30  # at least
COLUMN = 84  # least pixels per depth
FRAME = 60  # pixels above and below the rows
HEAD = 28  # pixels above the first row, for its labels
USUAL = 0.75  # share of the trees that are drawn at full pitch
NEARLY = 0.9  # share of the trees whose depth has room; deeper ones are wider
FEWEST, MOST = 5, 16  # rows


class Extent(NamedTuple):
    """Room for the trees of a run, so that the page does not jump from step to step."""

    height: int  # pixels; only trees of more than MOST rows need more
    depth: int  # of nearly all trees


def extent(traces: Iterable[Trace]) -> Extent:
    """Most trees at full pitch, the larger ones closer."""
    steps = [step for trace in traces for step in trace.decode_steps]
    needed, depths = sorted(map(rows, steps)) or [1], sorted(map(_deepest, steps)) or [1]
    usual = max(needed[int(USUAL * (len(needed) - 1))], FEWEST)
    height = max(PITCH * min(usual, MOST), CLOSE * min(needed[-1], MOST))
    return Extent(height + FRAME, depths[int(NEARLY * (len(depths) - 1))])


def _deepest(step: Step) -> int:
    return max([node.depth for node in step.nodes] + [len(step.accepted) + 1])


def draft_tree(trace: Trace, step: Step, room: Extent, say: Words = ENGLISH) -> go.Figure:
    """The tree of a step, best guesses first. A marker's customdata is its node."""
    places = tidy(step)
    parts = [*edges(step, places), *_nodes(step, places), _ends(step, places)]
    parts += [_labels(trace, step, places), *badges(step, places, trace.turn)]
    return go.Figure(parts, _layout(trace, step, room, say))  # in one go: updates are slow


def spots(step: Step) -> list[list[float]]:
    """Where the figure has the root, node 0, node 1, … and the bonus, as [x, y]."""
    found = tidy(step)
    return [list(found[place]) for place in range(ROOT, len(step.nodes) + 1)]


def order(step: Step) -> list[int]:
    """The places row by row, as one reads; the root is -1, the bonus is len(nodes)."""
    found = tidy(step)
    return sorted(found, key=lambda place: (found[place].y, found[place].x))


def _nodes(step: Step, spots: dict[int, Spot]) -> Iterable[go.Scatter]:
    """One marker trace per verdict and source: symbol and letter by verdict, shade by p."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, node in enumerate(step.nodes):
        role = node.source if node.verdict == "accepted" else node.verdict
        groups.setdefault((node.verdict, role), []).append(index)
    for (verdict, role), members in groups.items():
        yield _markers(step, spots, (verdict, role, members))


def _markers(step: Step, spots: dict[int, Spot], group: tuple[str, str, list[int]]) -> go.Scatter:
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
        hoverinfo="none",
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
    return 13 + 7 * (expected or 0) ** 0.5


def _ends(step: Step, spots: dict[int, Spot]) -> go.Scatter:
    """The root, and the bonus at the end of the accepted path."""
    ends = [ROOT, len(step.nodes)]
    return go.Scatter(
        x=[spots[index].x for index in ends],
        y=[spots[index].y for index in ends],
        mode="markers+text",
        name="root and bonus",
        text=["", "B"],
        textfont={"size": 9, "color": theme.colour("on_hue")},
        customdata=ends,
        hoverinfo="none",
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
    """Beside a leaf, where nothing else is, and above every other node."""
    ids = {ROOT: step.root_id, len(step.nodes): step.bonus_id}
    ids |= {index: node.token_id for index, node in enumerate(step.nodes)}
    texts = [drawn(short(trace.token_texts.get(ids[index], f"⟨{ids[index]}⟩"))) for index in spots]
    strong = {ROOT, *step.accepted, len(step.nodes)}
    inner = {parent(step, index) for index in range(len(step.nodes) + 1)}
    colours = [theme.colour("ink" if index in strong else "muted") for index in spots]
    return go.Scatter(
        x=[spot.x for spot in spots.values()],
        y=[spot.y for spot in spots.values()],
        mode="markers+text",  # the unseen markers hold the text off the nodes
        marker={"size": 21, "opacity": 0},
        text=texts,
        textposition=["top center" if i in inner else "middle right" for i in spots],
        textfont={"family": theme.MONO, "size": 11, "color": colours},
        hoverinfo="skip",
        showlegend=False,
        meta={"labels": True},
    )


def _layout(trace: Trace, step: Step, room: Extent, say: Words) -> dict:
    alt = say(
        "{lane} draft tree of step {step}: {count} nodes, {accepted} accepted, then the target's "
        "own token.",
        lane=say(trace.label),
        step=step.index,
        count=len(step.nodes),
        accepted=len(step.accepted),
    )
    height = max(room.height, CLOSE * rows(step) + FRAME)
    shown = max(rows(step), (height - FRAME) / PITCH)
    layout = theme.layout(alt, height=height, showlegend=False)
    layout["margin"] = {"l": 8, "r": 8, "t": 20, "b": 34}
    depth = max(room.depth, _deepest(step))
    layout["meta"]["min_width"] = int(COLUMN * (depth + 1.4))
    layout["xaxis"] = theme.axis(
        say("depth"),
        range=[-0.5, depth + 0.9],
        tickmode="array",
        tickvals=list(range(depth + 1)),
        ticktext=[say("root"), *map(str, range(1, depth + 1))],
        showgrid=True,
    )
    layout["yaxis"] = {"range": [shown - 0.4, -HEAD * shown / (height - FRAME)], "visible": False}
    layout["uirevision"] = f"{trace.name}-{trace.label}"
    return layout
