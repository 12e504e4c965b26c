"""What each Delta leaves of the error, had the draft's rows stood in for the target's."""

from typing import Final

import plotly.graph_objects as go

from components import theme
from components.figures.inside import HOW, watched
from components.figures.lane_looks import drawn_labels
from components.figures.quiet import quiet
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.internals import DeltaErrors

KINDS: Final = {  # fields of DeltaErrors: words, colour role, fill pattern
    "none": (Phrase("no Delta (as large as Delta itself)"), "rejected", "/"),
    "new": (Phrase("Delta over the new tokens"), "bonus", "x"),
    "exact": (Phrase("exact Delta"), "draft", ""),
}


def with_deltas(comparison: Comparison) -> dict[Lane, tuple[DeltaErrors, ...]]:
    return {name: own.deltas for name, own in watched(comparison).items() if own.deltas}


def delta(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Lane and layer × relative error of attention, one bar per Delta."""
    found, labels = with_deltas(comparison), drawn_labels(comparison, say)
    if not watched(comparison):
        return quiet(say(HOW))
    if not found:
        return quiet(say("No draft of this comparison has rows that fit the target's layers."))
    places = [
        (say("{lane}, layer {layer}", lane=labels[name], layer=own.layer), own)
        for name, deltas in found.items()
        for own in deltas
    ]
    figure = go.Figure([_bars(kind, places, say) for kind in KINDS])
    told = "; ".join(
        f"{place}: {own.none:.2f}, {own.new:.2f}, {own.exact:.2g}" for place, own in places
    )
    alt = say(
        "Relative error of attention with no Delta, with Delta over the new tokens, and with the "
        "exact one. {places}.",
        places=told,
    )
    layout = theme.layout(alt, height=110 + 60 * min(len(places), 12), barmode="group")
    layout["margin"] = layout["margin"] | {"l": 110}
    layout["xaxis"] = theme.axis(say("relative error of what attention gives"), rangemode="tozero")
    layout["yaxis"] = theme.axis(showgrid=False, autorange="reversed", automargin=True)
    layout["uirevision"] = f"{comparison.name}-delta"
    return figure.update_layout(layout)


def _bars(kind: str, places: list[tuple[str, DeltaErrors]], say: Words) -> go.Bar:
    words, role, pattern = KINDS[kind]
    values = [getattr(own, kind) for _, own in places]
    return go.Bar(
        orientation="h",
        name=say(words),
        y=[place for place, _ in places],
        x=[round(value, 5) for value in values],
        text=[f"{value:.2g}" for value in values],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 11, "color": theme.colour("muted")},
        hovertemplate="%{y}, %{fullData.name}<br>%{x:.3g}<extra></extra>",
        marker={
            "color": theme.colour(role),
            "pattern": {"shape": pattern, "size": 6, "fgopacity": 0.3, "fillmode": "overlay"},
        },
    )
