"""What each lane's time was spent on, summed over the run."""

from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.figures.lane_looks import drawn_labels
from components.labels import milliseconds
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.trace import Trace

PARTS: Final = {  # colour role and fill pattern; the prefill is a pass of its own
    Phrase("prefill"): ("edge", ""),
    **theme.PHASES,
    Phrase("between steps"): ("grid", ""),
}
LEGIBLE = 0.06  # of the longest lane: narrower parts have no room for their share


class Spent(NamedTuple):
    """A lane's seconds by part; together they are the run's time."""

    parts: dict[str, float]
    tokens: int  # of the decode steps

    @property
    def total(self) -> float:
        return sum(self.parts.values())

    @property
    def per_token(self) -> dict[str, float]:
        """Seconds per token of what the decode steps did; empty where there were none."""
        return {phase: self.parts[phase] / self.tokens for phase in theme.PHASES if self.tokens}


def spent(trace: Trace) -> Spent:
    prefill, steps = trace.steps[0], trace.decode_steps
    parts = {"prefill": prefill.seconds}
    parts |= {phase: sum(getattr(s, f"{phase}_seconds") for s in steps) for phase in theme.PHASES}
    parts["between steps"] = max(trace.seconds - sum(parts.values()), 0.0)
    return Spent(parts, sum(step.emitted for step in steps))


def where_time_went(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """One bar per lane, stacked by phase, with shares, the total and the time per token."""
    labels = drawn_labels(comparison, say)
    sums = {name: spent(trace) for name, trace in comparison.lanes.items()}
    longest = max(own.total for own in sums.values())
    figure = go.Figure([_part(part, sums, labels, say) for part in PARTS])
    figure.add_trace(_ends(sums, labels, say))
    layout = theme.layout(
        _alt(sums, lane_labels(comparison, say), say), barmode="stack", bargap=0.4
    )
    layout["meta"]["min_width"] = 560
    layout["height"] = 110 + 52 * len(sums)
    layout["margin"] = layout["margin"] | {"l": 72}
    layout["xaxis"] = theme.axis(say("milliseconds"), range=[0, 1300 * longest])
    layout["yaxis"] = theme.axis(
        categoryorder="array",
        categoryarray=list(reversed(labels.values())),
        showgrid=False,
        automargin=True,
    )
    layout["legend"] = layout["legend"] | {"traceorder": "normal"}
    layout["uirevision"] = f"{comparison.name}-time"
    return figure.update_layout(layout)


def _part(part: str, sums: dict[Lane, Spent], labels: dict[Lane, str], say: Words) -> go.Bar:
    role, pattern = PARTS[part]
    longest = max(own.total for own in sums.values())
    shares = [own.parts[part] / own.total for own in sums.values()]
    told = [
        f"{share:.0%}" if own.parts[part] >= LEGIBLE * longest else ""
        for share, own in zip(shares, sums.values(), strict=True)
    ]
    return go.Bar(
        orientation="h",
        name=say(part),
        y=[labels[name] for name in sums],
        x=[round(1000 * own.parts[part], 3) for own in sums.values()],
        text=told,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        textfont={"size": 11, "color": theme.colour("on_hue")},
        customdata=shares,
        hovertemplate="%{y}, %{fullData.name}<br>%{x:.1f} ms, %{customdata:.1%}<extra></extra>",
        marker={
            "color": theme.colour(role),
            "line": {"width": 0.5, "color": theme.colour("paper")},
            "pattern": {
                "shape": pattern,
                "size": 6,
                "fillmode": "overlay",
                "fgcolor": theme.colour("ink"),
                "fgopacity": 0.25,
            },
        },
    )


def _ends(sums: dict[Lane, Spent], labels: dict[Lane, str], say: Words) -> go.Scatter:
    """The total behind each bar."""
    return go.Scatter(
        x=[1000 * own.total for own in sums.values()],
        y=[labels[name] for name in sums],
        mode="text",
        text=[_total(own, say) for own in sums.values()],
        textposition="middle right",
        textfont={"size": 11, "color": theme.colour("muted")},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _total(own: Spent, say: Words) -> str:
    if not own.tokens:
        return f" {milliseconds(own.total)}"
    each = milliseconds(sum(own.per_token.values()))
    return " " + say("{total}; {each} per token", total=milliseconds(own.total), each=each)


def _alt(sums: dict[Lane, Spent], labels: dict[Lane, str], say: Words) -> str:
    told = [
        f"{labels[name]}: "
        + ", ".join(f"{say(part)} {milliseconds(own.parts[part])}" for part in PARTS)
        for name, own in sums.items()
    ]
    return say("Time by phase. {lanes}.", lanes="; ".join(told))
