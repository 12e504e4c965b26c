"""How fast each lane's output grew."""

from itertools import accumulate

import plotly.graph_objects as go

from components import theme
from components.figures.lane_looks import Look, lane_looks
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.trace import Trace


def tokens_over_time(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Output tokens against time, one stair per lane: a steeper stair is faster."""
    looks = lane_looks(comparison, say)
    stairs = (_stair((name, t), looks[name], say) for name, t in comparison.lanes.items())
    figure = go.Figure(list(stairs))
    layout = theme.layout(_alt(comparison, say), height=300, hovermode="closest")
    layout["meta"]["follow"] = {
        name: {"boxes": _boxes(trace)} for name, trace in comparison.lanes.items()
    }
    layout["xaxis"] = theme.axis(say("milliseconds since the prefill began"), rangemode="tozero")
    layout["yaxis"] = theme.axis(say("output tokens"), rangemode="tozero")
    layout["uirevision"] = comparison.name
    return figure.update_layout(layout)


def _alt(comparison: Comparison, say: Words) -> str:
    labels = lane_labels(comparison, say)
    ends = [
        say(
            "{lane} {count} tokens in {seconds} s",
            lane=labels[name],
            count=len(trace.output_ids),
            seconds=f"{trace.seconds:.2f}",
        )
        for name, trace in comparison.lanes.items()
    ]
    return say("Output tokens over time. {ends}.", ends=", ".join(ends))


def _stair(lane: tuple[Lane, Trace], look: Look, say: Words) -> go.Scatter:
    name, trace = lane
    hover = say("{tokens} tokens after {time} ms", tokens="%{y}", time="%{x:.0f}")
    return go.Scatter(
        x=[0, *(round(1000 * (step.started + step.seconds), 2) for step in trace.steps)],
        y=[0, *_totals(trace)],
        mode="lines",
        name=look.label,
        customdata=[0, *(step.index for step in trace.steps)],
        hovertemplate=f"{hover}<extra>{look.label}</extra>",
        meta={"pick": {"method": name, "step": "custom", "depth": None}},
        line={
            "shape": "hv",
            "width": 2.5,
            "color": theme.colour(look.role),
            "dash": look.dash,
        },
    )


def _totals(trace: Trace) -> list[int]:
    """Output tokens after each step."""
    return list(accumulate(step.emitted for step in trace.steps))


def _boxes(trace: Trace) -> list[list[float]]:
    """Around each step's tread and riser: x0, x1, y0, y1."""
    return [
        [
            round(1000 * step.started, 2),
            round(1000 * (step.started + step.seconds), 2),
            total - step.emitted,
            total,
        ]
        for step, total in zip(trace.steps, _totals(trace), strict=True)
    ]
