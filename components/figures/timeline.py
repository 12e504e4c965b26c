"""When each lane drafted, verified, accepted and committed, on one clock."""

from collections.abc import Sequence

import plotly.graph_objects as go

from components import theme
from components.labels import milliseconds
from components.selection import Comparison, Selection, place
from eagley_core.trace import Step, Trace


def timeline(comparison: Comparison) -> go.Figure:
    """One row per lane, one bar per phase of a step; a longer row took longer."""
    figure = go.Figure([_bars(phase, comparison.traces) for phase in theme.PHASES])
    longest = max(trace.seconds for trace in comparison.traces)
    totals = ", ".join(f"{t.label} {milliseconds(t.seconds)}" for t in comparison.traces)
    layout = theme.layout(f"Timeline. Total time: {totals}.", barmode="overlay", bargap=0.45)
    layout["height"] = 110 + 52 * len(comparison.traces)
    layout["margin"] = layout["margin"] | {"l": 72}
    layout["xaxis"] = theme.axis("milliseconds since the prefill began", range=[0, 1020 * longest])
    labels = [trace.label for trace in reversed(comparison.traces)]
    layout["yaxis"] = theme.axis(categoryorder="array", categoryarray=labels, showgrid=False)
    layout["uirevision"] = comparison.name
    return figure.update_layout(layout)


def _bars(phase: str, traces: Sequence[Trace]) -> go.Bar:
    role, pattern = theme.PHASES[phase]
    bars = [
        (trace, step, begin, length)
        for trace in traces
        for step in trace.steps
        for name, begin, length in phases(step)
        if name == phase and length > 0
    ]
    return go.Bar(
        orientation="h",
        name=phase,
        y=[trace.label for trace, *_ in bars],
        base=[1000 * begin for _, _, begin, _ in bars],
        x=[1000 * length for *_, length in bars],
        customdata=[[trace.config.method, step.index] for trace, step, *_ in bars],
        hovertext=[_hover(step, phase, length) for _, step, _, length in bars],
        hovertemplate="%{y} %{hovertext}<extra></extra>",
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


def phases(step: Step) -> tuple[tuple[str, float, float], ...]:
    """Phase, start and length in seconds, in the order in which they ran."""
    lengths = [(phase, getattr(step, f"{phase}_seconds")) for phase in theme.PHASES]
    begins = [step.started + sum(length for _, length in lengths[:i]) for i in range(len(lengths))]
    return tuple((p, b, s) for (p, s), b in zip(lengths, begins, strict=True))


def _hover(step: Step, phase: str, length: float) -> str:
    name = "prefill" if step.kind == "prefill" else f"step {step.index}"
    counts = f"{step.rows} rows verified, {step.emitted} tokens emitted"
    return f"{name}<br>{phase}: {milliseconds(length)}<br>{counts}"


def timeline_marks(comparison: Comparison, selection: Selection) -> list[dict]:
    """A frame around the selected step of every lane."""
    marks = []
    for row, trace in enumerate(reversed(comparison.traces)):
        here = place(trace, selection)
        if here:
            start, stop = here.step.started, here.step.started + here.step.seconds
            marks.append(_frame(1000 * start, 1000 * stop, row))
    return marks


def _frame(x0: float, x1: float, row: int) -> dict:
    line = {"color": theme.colour("ring"), "width": 2}
    return {"type": "rect", "x0": x0, "x1": x1, "y0": row - 0.36, "y1": row + 0.36, "line": line}
