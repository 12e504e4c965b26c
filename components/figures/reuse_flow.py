"""From which step to which step stored guesses were carried, and what became of them."""

from collections import Counter
from math import ceil
from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.quiet import quiet
from components.lane_labels import lane_labels
from components.marks import DRAWN
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.trace import Node, Trace

BINS: Final = 150  # steps that are drawn singly: in longer runs a point sums several
CROWD: Final = 80  # points of one kind that have room
SYMBOLS: Final = {False: "circle", True: "square"}  # by whether the row had been rejected


class Kind(NamedTuple):
    """What a stored guess was. `source` is draft where the draft had it too: it has the credit."""

    source: str
    rejected: bool  # the row that it was kept from was a rejected node's


class Flow(NamedTuple):
    """One way that stored guesses took. Step 0 is the prefill."""

    stored: int  # the step of the row that a guess was kept from
    used: int  # the step whose tree has it
    kind: Kind
    accepted: bool  # what the guess is now


def flows(trace: Trace) -> Counter[Flow]:
    """How many nodes of a run took each way. Guesses of earlier turns have no step here."""
    return Counter(
        Flow(
            node.origin.step,
            step.index,
            Kind(node.source, node.origin.rejected),
            node.verdict == "accepted",
        )
        for step in trace.decode_steps
        for node in step.nodes
        if _is_of(node, trace)
    )


def _is_of(node: Node, trace: Trace) -> bool:
    return node.origin is not None and node.origin.turn == trace.turn


def reusing(comparison: Comparison) -> Lane | None:
    """The lane whose flow is shown: the last one that used anything again."""
    for name, trace in reversed(comparison.lanes.items()):
        if flows(trace):
            return name
    return None


def reuse_flow(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Step of use × step of origin: colour by source, shape by origin, filled where accepted."""
    lane = reusing(comparison)
    if lane is None:
        return quiet(say("No lane of this comparison used a stored guess again."))
    trace = comparison.lanes[lane]
    size = ceil(len(trace.steps) / BINS)
    grouped: dict[tuple[bool, Kind], Counter[tuple[int, int]]] = {}
    for flow, count in flows(trace).items():
        place = (flow.used // size * size, flow.stored // size * size)
        grouped.setdefault((flow.accepted, flow.kind), Counter())[place] += count
    names = _names(flows(trace), say)
    figure = go.Figure(_diagonal(trace))
    # What was accepted is drawn last, over the rest.
    for accepted, kind in sorted(grouped, key=lambda key: (key[0], _order(key[1]))):
        points = _points(grouped[accepted, kind], kind, accepted, say)
        is_first = accepted or (True, kind) not in grouped
        figure.add_trace(points.update(name=names[kind], showlegend=is_first))
    figure.update_traces(meta={"pick": {"method": lane, "step": "x", "depth": None}})
    return figure.update_layout(_layout(comparison, lane, size, say))


def _order(kind: Kind) -> tuple[int, bool]:
    return list(DRAWN).index(kind.source), kind.rejected


def _points(places: Counter[tuple[int, int]], kind: Kind, accepted: bool, say: Words) -> go.Scatter:
    facts = {"used": "%{x}", "stored": "%{y}", "count": "%{customdata}"}
    told = (
        say("kept from step {stored}, used in step {used}: {count} accepted", **facts)
        if accepted
        else say("kept from step {stored}, used in step {used}: {count} not accepted", **facts)
    )
    colour = theme.colour(kind.source)
    return go.Scatter(
        x=[used for used, _ in places],
        y=[stored for _, stored in places],
        mode="markers",
        legendgroup=f"{kind.source}-{kind.rejected}",
        customdata=list(places.values()),
        hovertemplate=told + "<br>%{fullData.name}<extra></extra>",
        marker={
            "symbol": SYMBOLS[kind.rejected] + ("" if accepted else "-open"),
            "size": [_size(count, len(places)) for count in places.values()],
            "color": colour,
            "opacity": 1 if accepted else 0.55,
            "line": {"width": 1.25, "color": colour},
        },
    )


def _size(count: int, crowd: int) -> float:
    """Pixels by how many guesses a point has; less among many points."""
    least, most = (6, 16) if crowd <= CROWD else (3, 8)
    return round(min(least + least / 3 * count**0.5, most), 1)


def _names(found: Counter[Flow], say: Words) -> dict[Kind, str]:
    """Each kind with how many of its guesses were accepted."""
    given, won = Counter(), Counter()
    for flow, count in found.items():
        given[flow.kind] += count
        won[flow.kind] += count * flow.accepted
    return {kind: _name(kind, {"won": won[kind], "given": given[kind]}, say) for kind in given}


def _name(kind: Kind, counts: dict[str, int], say: Words) -> str:
    if kind.source == "draft":
        if kind.rejected:
            return say("drafted too, from rejected rows: {won} of {given} accepted", **counts)
        return say("drafted too, from rows that stayed: {won} of {given} accepted", **counts)
    source = say(DRAWN[kind.source].short)
    if kind.rejected:
        return say(
            "{source} from rejected rows: {won} of {given} accepted", source=source, **counts
        )
    return say("{source} from rows that stayed: {won} of {given} accepted", source=source, **counts)


def _diagonal(trace: Trace) -> go.Scatter:
    """Nothing can be kept from a later step; the nearer to this line, the fresher it was."""
    last = trace.steps[-1].index
    line = {"color": theme.colour("grid"), "width": 1}
    return go.Scatter(
        x=[0, last], y=[0, last], mode="lines", line=line, hoverinfo="skip", showlegend=False
    )


def _layout(comparison: Comparison, lane: Lane, size: int, say: Words) -> dict:
    trace = comparison.lanes[lane]
    found = flows(trace)
    alt = say(
        "{lane}: {count} stored guesses by step of origin and step of use; {won} were accepted, "
        "{rejected} of these from rejected rows.",
        lane=lane_labels(comparison, say)[lane],
        count=found.total(),
        won=sum(count for flow, count in found.items() if flow.accepted),
        rejected=sum(n for flow, n in found.items() if flow.accepted and flow.kind.rejected),
    )
    layout = theme.layout(alt, height=460, hovermode="closest")
    layout["meta"] |= {"min_width": 480, "follow": {lane: {"axis": "x"}}}
    last = trace.steps[-1].index
    used = say("step that used it")
    if size > 1:
        used = say("step that used it; a point sums {count} steps", count=size)
    layout["xaxis"] = theme.axis(used, range=[0, last + 1])
    layout["yaxis"] = theme.axis(
        say("step it was kept from (0: the prompt)"), range=[-0.03 * last - 1, last + 1]
    )
    layout["legend"] = layout["legend"] | {"itemsizing": "constant"}
    layout["uirevision"] = f"{comparison.name}-{lane}-flow"
    return layout
