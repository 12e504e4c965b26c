"""How fast each lane's output grew."""

import plotly.graph_objects as go

from components import theme
from components.selection import Comparison
from eagley_core.trace import Trace


def tokens_over_time(comparison: Comparison) -> go.Figure:
    """Output tokens against time, one stair per lane: a steeper stair is faster."""
    figure = go.Figure([_stair(trace) for trace in comparison.traces])
    ends = ", ".join(
        f"{t.label} {len(t.output_ids)} tokens in {t.seconds:.2f} s" for t in comparison.traces
    )
    layout = theme.layout(f"Output tokens over time. {ends}.", height=300, hovermode="closest")
    layout["xaxis"] = theme.axis("milliseconds since the prefill began", rangemode="tozero")
    layout["yaxis"] = theme.axis("output tokens", rangemode="tozero")
    layout["uirevision"] = comparison.name
    return figure.update_layout(layout)


def _stair(trace: Trace) -> go.Scatter:
    total, x, y = 0, [0.0], [0]
    for step in trace.steps:
        total += step.emitted
        x.append(1000 * (step.started + step.seconds))
        y.append(total)
    method = trace.config.method
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        name=trace.label,
        customdata=[[method, 0], *([method, step.index] for step in trace.steps)],
        hovertemplate="%{y} tokens after %{x:.0f} ms<extra>" + trace.label + "</extra>",
        line={
            "shape": "hv",
            "width": 2.5,
            "color": theme.colour(theme.LANE_COLOURS[method]),
            "dash": theme.LANE_DASHES[method],
        },
    )
