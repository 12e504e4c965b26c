"""When each lane drafted, verified, accepted and committed, on one clock."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.lane_looks import drawn_labels
from components.labels import milliseconds
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.trace import Step, Trace

BARS = 200  # of a phase in the longest lane: with more steps a bar sums several


class Bar(NamedTuple):
    """One phase of a step, or of several that follow each other."""

    lane: Lane
    steps: Sequence[Step]
    begin: float  # seconds
    length: float


def timeline(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """One row per lane, one bar per phase of a step; a longer row took longer."""
    labels = drawn_labels(comparison, say)
    # Short phases are drawn a pixel wide at least: those that last longer go over them.
    figure = go.Figure([_bars(phase, comparison, say) for phase in reversed(theme.PHASES)])
    layout = theme.layout(_alt(comparison, say), barmode="overlay", bargap=0.45)
    layout["meta"]["follow"] = {
        name: {"boxes": _boxes(trace, row)}
        for row, (name, trace) in enumerate(reversed(comparison.lanes.items()))
    }
    longest = max(trace.seconds for trace in comparison.traces)
    layout["height"] = 110 + 52 * len(comparison.traces)
    layout["margin"] = layout["margin"] | {"l": 72}
    layout["xaxis"] = theme.axis(_clock(comparison, say), range=[0, 1020 * longest])
    layout["yaxis"] = theme.axis(
        categoryorder="array",
        categoryarray=list(reversed(labels.values())),
        showgrid=False,
        automargin=True,
    )
    layout["uirevision"] = comparison.name
    return figure.update_layout(layout)


def _alt(comparison: Comparison, say: Words) -> str:
    labels = lane_labels(comparison, say)
    totals = (f"{labels[name]} {milliseconds(t.seconds)}" for name, t in comparison.lanes.items())
    return say("Timeline. Total time: {totals}.", totals=", ".join(totals))


def _clock(comparison: Comparison, say: Words) -> str:
    longest = max(trace.seconds for trace in comparison.traces)
    most = max(together(trace, longest) for trace in comparison.traces)
    if most == 1:
        return say("milliseconds since the prefill began")
    return say("milliseconds since the prefill began; a bar sums up to {count} steps", count=most)


def together(trace: Trace, longest: float) -> int:
    """How many steps of a lane one bar sums; bars are about as wide in every lane."""
    return ceil(len(trace.steps) / max(1, round(BARS * trace.seconds / longest)))


def _bars(phase: str, comparison: Comparison, say: Words) -> go.Bar:
    role, pattern = theme.PHASES[phase]
    labels = drawn_labels(comparison, say)
    longest = max(trace.seconds for trace in comparison.traces)
    bars = [
        bar
        for name, trace in comparison.lanes.items()
        for bar in _of(phase, (name, trace), together(trace, longest))
    ]
    return go.Bar(
        orientation="h",
        name=say(phase),
        legendrank=list(theme.PHASES).index(phase) + 1,
        y=[labels[bar.lane] for bar in bars],
        base=[round(1000 * bar.begin, 3) for bar in bars],
        x=[round(1000 * bar.length, 3) for bar in bars],
        customdata=[[bar.lane, bar.steps[0].index] for bar in bars],
        hovertext=[_hover(bar, say) for bar in bars],
        hovertemplate="%{y}, %{hovertext}<br>%{fullData.name}: %{x:.1f} ms<extra></extra>",
        meta={"pick": {"method": None, "step": "custom", "depth": None}},
        marker={
            "color": theme.colour(role),
            "line": {"width": 0.5, "color": theme.colour("paper")},
            "pattern": {
                "shape": pattern,
                "size": 5,
                "fillmode": "overlay",
                "fgcolor": theme.colour("ink"),
                "fgopacity": 0.55,
            },
        },
    )


def _of(phase: str, lane: tuple[Lane, Trace], count: int) -> Iterable[Bar]:
    """A lane's bars of one phase. Summed ones stand where the phases of their sum would."""
    name, trace = lane
    for first in range(0, len(trace.steps), count):
        steps = trace.steps[first : first + count]
        lengths = {part: sum(_seconds(step, part) for step in steps) for part in theme.PHASES}
        before = list(theme.PHASES)[: list(theme.PHASES).index(phase)]
        begin = steps[0].started + sum(lengths[part] for part in before)
        if lengths[phase] > 0:
            yield Bar(name, steps, begin, lengths[phase])


def _seconds(step: Step, phase: str) -> float:
    return getattr(step, f"{phase}_seconds")


def _hover(bar: Bar, say: Words) -> str:
    first, last = bar.steps[0], bar.steps[-1]
    counts = {
        "rows": sum(step.rows for step in bar.steps),
        "tokens": sum(step.emitted for step in bar.steps),
    }
    if first is not last:
        return say(
            "steps {first} to {last}<br>{rows} rows verified, {tokens} tokens emitted",
            first=first.index,
            last=last.index,
            **counts,
        )
    if first.kind == "prefill":
        return say("prefill<br>{rows} rows verified, {tokens} tokens emitted", **counts)
    return say(
        "step {step}<br>{rows} rows verified, {tokens} tokens emitted", step=first.index, **counts
    )


def _boxes(trace: Trace, row: int) -> list[list[float]]:
    """For each step, the part of the lane's row that it took: x0, x1, y0, y1."""
    spans = ((step.started, step.started + step.seconds) for step in trace.steps)
    return [
        [round(1000 * start, 2), round(1000 * stop, 2), row - 0.36, row + 0.36]
        for start, stop in spans
    ]
