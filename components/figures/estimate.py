"""What the cost model expected, beside what came of it."""

from itertools import accumulate
from typing import NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.lane_looks import Look, lane_looks
from components.figures.quiet import quiet
from components.lane_labels import lane_labels
from components.selection import Comparison
from components.words import ENGLISH, Words
from eagley_core.trace import Step, Trace


class Outcome(NamedTuple):
    """A step's expectation and what happened. The last step is judged before it is cut."""

    step: int
    expected_tokens: float
    tokens: int
    expected_seconds: float  # drafting and the target's pass
    seconds: float


def results(trace: Trace) -> list[Outcome]:
    """Of the decode steps that the cost model decided."""
    return [_result(step) for step in trace.decode_steps if step.estimate]


def _result(step: Step) -> Outcome:
    guess = step.estimate
    return Outcome(
        step.index,
        guess.tokens,
        len(step.path_ids),
        guess.draft_seconds + guess.verify_seconds,
        step.draft_seconds + step.verify_seconds,
    )


def estimate(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Sums over the steps: tokens on the left, milliseconds on the right."""
    looks = lane_looks(comparison, say)
    found = {name: results(trace) for name, trace in comparison.lanes.items()}
    found = {name: outcomes for name, outcomes in found.items() if outcomes}
    if not found:
        return quiet(say("No step of this comparison was decided by the cost model."))
    figure = go.Figure()
    for name, own in found.items():
        tokens = [o.expected_tokens for o in own], [o.tokens for o in own]
        times = [1000 * o.expected_seconds for o in own], [1000 * o.seconds for o in own]
        steps = [o.step for o in own]
        for axis, (expected, happened) in (("", tokens), ("2", times)):
            for is_expected, values in ((True, expected), (False, happened)):
                figure.add_trace(
                    _line((name, steps, values), looks[name], (axis, is_expected), say)
                )
    return figure.update_layout(_layout(comparison, found, say))


def _line(data: tuple, look: Look, kind: tuple[str, bool], say: Words) -> go.Scatter:
    (lane, steps, values), (axis, is_expected) = data, kind
    name = (
        say("{lane}, expected", lane=look.label)
        if is_expected
        else say("{lane}, happened", lane=look.label)
    )
    sums = [round(total, 3) for total in accumulate(values)]
    digits = ".0f" if axis else ".1f"
    told = say("{total} by step {step}", total="%{y:" + digits + "}", step="%{x}")
    return go.Scatter(
        x=steps,
        y=sums,
        mode="lines",
        name=name,
        legendgroup=name,
        showlegend=not axis,
        xaxis=f"x{axis}",
        yaxis=f"y{axis}",
        hovertemplate=f"{told}<extra>{name}</extra>",
        line={
            "color": theme.colour(look.role),
            "width": 1.5 if is_expected else 2.5,
            "dash": "dot" if is_expected else "solid",
        },
        meta={"pick": {"method": lane, "step": "x", "depth": None}},
    )


def _layout(comparison: Comparison, found: dict[str, list[Outcome]], say: Words) -> dict:
    labels = lane_labels(comparison, say)
    told = [
        say(
            "{lane}: expected {expected} tokens, got {tokens}",
            lane=labels[name],
            expected=f"{sum(o.expected_tokens for o in own):.0f}",
            tokens=sum(o.tokens for o in own),
        )
        for name, own in found.items()
    ]
    alt = say("The cost model's expectations and outcomes. {lanes}.", lanes="; ".join(told))
    layout = theme.layout(alt, height=320, hovermode="closest")
    layout["meta"]["min_width"] = 620
    layout["xaxis"] = theme.axis(say("step"), domain=[0, 0.45], rangemode="tozero")
    layout["xaxis2"] = theme.axis(
        say("step"), domain=[0.57, 1], rangemode="tozero", anchor="y2", matches="x"
    )
    layout["yaxis"] = theme.axis(say("tokens so far"), rangemode="tozero")
    layout["yaxis2"] = theme.axis(
        say("drafting and passes, ms so far"), rangemode="tozero", anchor="x2"
    )
    layout["uirevision"] = f"{comparison.name}-estimate"
    return layout
