"""How fast each lane's output grew."""

from itertools import accumulate

import plotly.graph_objects as go

from components import theme
from components.selection import Comparison
from components.words import ENGLISH, Words
from eagley_core.trace import Trace


def tokens_over_time(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Output tokens against time, one stair per lane: a steeper stair is faster."""
    figure = go.Figure([_stair(trace, say) for trace in comparison.traces])
    layout = theme.layout(_alt(comparison, say), height=300, hovermode="closest")
    layout["meta"]["follow"] = {
        trace.config.method: {"boxes": _boxes(trace)} for trace in comparison.traces
    }
    layout["xaxis"] = theme.axis(say("milliseconds since the prefill began"), rangemode="tozero")
    layout["yaxis"] = theme.axis(say("output tokens"), rangemode="tozero")
    layout["uirevision"] = comparison.name
    return figure.update_layout(layout)


def _alt(comparison: Comparison, say: Words) -> str:
    ends = [
        say(
            "{lane} {count} tokens in {seconds} s",
            lane=say(trace.label),
            count=len(trace.output_ids),
            seconds=f"{trace.seconds:.2f}",
        )
        for trace in comparison.traces
    ]
    return say("Output tokens over time. {ends}.", ends=", ".join(ends))


def _stair(trace: Trace, say: Words) -> go.Scatter:
    method, label = trace.config.method, say(trace.label)
    hover = say("{tokens} tokens after {time} ms", tokens="%{y}", time="%{x:.0f}")
    return go.Scatter(
        x=[0, *(round(1000 * (step.started + step.seconds), 2) for step in trace.steps)],
        y=[0, *_totals(trace)],
        mode="lines",
        name=label,
        customdata=[0, *(step.index for step in trace.steps)],
        hovertemplate=f"{hover}<extra>{label}</extra>",
        meta={"pick": {"method": method, "step": "custom", "depth": None}},
        line={
            "shape": "hv",
            "width": 2.5,
            "color": theme.colour(theme.LANE_COLOURS[method]),
            "dash": theme.LANE_DASHES[method],
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
