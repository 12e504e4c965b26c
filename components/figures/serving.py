"""What a server would gain, by batch and context: drawn from a model, and marked as one."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Words
from eagley_core.devices import Device
from eagley_core.serving import Drafting, Load, Shape, grid, speedup

BATCHES: Final = tuple(2**n for n in range(10))
CONTEXTS: Final = tuple(2**n for n in range(8, 18))


class Server(NamedTuple):
    """What is served, on what."""

    device: Device
    shape: Shape


def serving_curves(
    server: Server, context: int, methods: Mapping[str, Drafting], say: Words = ENGLISH
) -> go.Figure:
    """Batch × speed-up over vanilla, a line per method; a line ends where memory does."""
    found = {
        name: [speedup(*server, Load(batch, context), drafting) for batch in BATCHES]
        for name, drafting in methods.items()
    }
    layout = theme.layout(_alt(found, server, say), height=340)
    layout["xaxis"] = theme.axis(say("sequences decoded at once"), type="category")
    layout["yaxis"] = theme.axis(say("speed-up over vanilla (model)"), rangemode="tozero")
    layout["shapes"] = [_even()]
    layout["uirevision"] = "serving"
    return go.Figure([_line(name, gains) for name, gains in found.items()]).update_layout(layout)


def _names(values: Sequence[int]) -> list[str]:
    return [f"{value:,}" for value in values]


def _line(method: str, gains: Sequence[float | None]) -> go.Scatter:
    name = theme.LANE_LABELS[method]
    look = {"color": theme.colour(theme.LANE_COLOURS[method]), "dash": theme.LANE_DASHES[method]}
    return go.Scatter(
        x=_names(BATCHES),
        y=list(gains),
        mode="lines+markers",
        name=name,
        line=look | {"width": 2.5},
        hovertemplate="%{x}: %{y:.2f}<extra>" + name + "</extra>",
    )


def _even() -> dict:
    """Where nothing is gained or lost."""
    line = {"color": theme.colour("muted"), "width": 1, "dash": "dot"}
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": 1, "y1": 1, "line": line}


def serving_map(server: Server, drafting: Drafting, say: Words = ENGLISH) -> go.Figure:
    """Batch × context; white is no gain, empty does not fit in the device's memory."""
    loads = [[Load(batch, context) for batch in BATCHES] for context in CONTEXTS]
    gains = grid(*server, loads, drafting)
    most = max(2.0, drafting.tokens)
    heat = go.Heatmap(
        x=_names(BATCHES),
        y=_names(CONTEXTS),
        z=gains,
        zmin=0,
        zmax=most,
        text=[["" if gain is None else f"{gain:.2f}" for gain in row] for row in gains],
        texttemplate="%{text}",
        textfont={"size": 11},
        hoverongaps=False,
        hovertemplate="%{x} × %{y}: %{z:.2f}<extra></extra>",
        xgap=1,
        ygap=1,
        colorscale=[
            [0, theme.colour("rejected")],
            [1 / most, theme.colour("paper")],
            [1, theme.colour("draft")],
        ],
        colorbar={"title": {"text": say("speed-up (model)"), "side": "right"}, "thickness": 12},
    )
    told = {"device": server.device.name, "model": server.shape.name}
    alt = say("Modelled speed-up of {model} on {device} by batch and context.", **told)
    layout = theme.layout(alt, height=420)
    layout["xaxis"] = theme.axis(say("sequences decoded at once"), type="category", showgrid=False)
    layout["yaxis"] = theme.axis(
        say("cached positions of each"), type="category", showgrid=False, automargin=True
    )
    layout["meta"] = layout["meta"] | {"min_width": 560}
    return go.Figure(heat).update_layout(layout)


def _alt(found: Mapping[str, Sequence[float | None]], server: Server, say: Words) -> str:
    told = []
    for name, gains in found.items():
        known = [gain for gain in gains if gain is not None]
        told += [f"{theme.LANE_LABELS[name]} {known[0]:.2f} – {known[-1]:.2f}"] if known else []
    return say(
        "Modelled speed-up of {model} on {device} from one sequence to many: {gains}.",
        model=server.shape.name,
        device=server.device.name,
        gains=", ".join(told) or say("it does not fit"),
    )
