"""What stale rows cost the predictions made behind them, by how old the oldest was."""

import plotly.graph_objects as go

from components import theme
from components.figures.inside import HOW, watched
from components.figures.lane_looks import Look, lane_looks
from components.figures.quiet import quiet
from components.lane_labels import lane_labels
from components.selection import Comparison
from components.words import ENGLISH, Words
from eagley_core.internals import AgeError


def stale_age(comparison: Comparison, say: Words = ENGLISH) -> go.Figure:
    """Age in tokens × KL from a clean pass, and × the relative error of keys and values."""
    looks, labels = lane_looks(comparison, say), lane_labels(comparison, say)
    found = {name: own.ages for name, own in watched(comparison).items() if own.ages}
    if not found:
        told = say("No lane of this comparison used stale rows.")
        return quiet(told if watched(comparison) else say(HOW))
    figure = go.Figure()
    for name, ages in found.items():
        figure.add_traces([_kl(ages, looks[name], say), _error(ages, looks[name], say)])
    told = "; ".join(
        say(
            "{lane}: {flips} of {count} likeliest tokens changed",
            lane=labels[name],
            flips=sum(age.flips for age in ages),
            count=sum(age.count for age in ages),
        )
        for name, ages in found.items()
    )
    layout = theme.layout(say("Error by age of the stale rows. {lanes}.", lanes=told), height=320)
    layout["meta"]["min_width"] = 620
    layout["xaxis"] = theme.axis(say("tokens since the rows went stale"), domain=[0, 0.45])
    layout["xaxis2"] = theme.axis(
        say("tokens since the rows went stale"), domain=[0.57, 1], anchor="y2", matches="x"
    )
    layout["yaxis"] = theme.axis(say("mean KL from a clean pass, nats"), rangemode="tozero")
    layout["yaxis2"] = theme.axis(
        say("mean relative error of keys and values"), rangemode="tozero", anchor="x2"
    )
    layout["uirevision"] = f"{comparison.name}-age"
    return figure.update_layout(layout)


def _kl(ages: tuple[AgeError, ...], look: Look, say: Words) -> go.Scatter:
    told = say(
        "age {age}: {value} nats over {count} predictions, {flips} changed",
        age="%{x}",
        value="%{y:.3g}",
        count="%{customdata[0]}",
        flips="%{customdata[1]}",
    )
    line = _line(ages, look, [age.kl for age in ages])
    return line.update(hovertemplate=f"{told}<extra>{look.label}</extra>")


def _error(ages: tuple[AgeError, ...], look: Look, say: Words) -> go.Scatter:
    told = say(
        "age {age}: {value} over {count} predictions",
        age="%{x}",
        value="%{y:.3g}",
        count="%{customdata[0]}",
    )
    line = _line(ages, look, [age.error for age in ages])
    hover = f"{told}<extra>{look.label}</extra>"
    return line.update(hovertemplate=hover, xaxis="x2", yaxis="y2", showlegend=False)


def _line(ages: tuple[AgeError, ...], look: Look, values: list[float]) -> go.Scatter:
    return go.Scatter(
        x=[age.age for age in ages],
        y=[float(f"{value:.4g}") for value in values],
        mode="lines+markers",
        name=look.label,
        customdata=[[age.count, age.flips] for age in ages],
        marker={"size": 6, "color": theme.colour(look.role)},
        line={"width": 2, "color": theme.colour(look.role), "dash": look.dash},
    )
