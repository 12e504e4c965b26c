"""What every rung of the ablation ladder brings, over EAGLE or over vanilla."""

from typing import Any, Literal

import plotly.graph_objects as go

from components import theme
from components.words import ENGLISH, Phrase, Words
from eagley_core.ablation_result import by_store

Base = Literal["eagle", "vanilla"]
MARKS = {"cold": ("draft", "circle"), "warm": ("bonus", "diamond")}  # colour role and symbol
CONTROLS = ("more-draft", "ngram")
STORES = {"cold": Phrase("cold store"), "warm": Phrase("warm store")}
AXES = {
    "eagle": Phrase("decode speed over EAGLE, per prompt"),
    "vanilla": Phrase("decode speed over vanilla, per prompt"),
}
ALTS = {
    "eagle": Phrase("Decode speed over EAGLE by rung of the ablation: {rungs}."),
    "vanilla": Phrase("Decode speed over vanilla by rung of the ablation: {rungs}."),
}
NAMED = {
    "eagle": Phrase("EAGLE, cost model"),
    "eagle-fixed": Phrase("EAGLE, fixed tree"),
    "all": Phrase("all"),
}


def label(rung: str, say: Words = ENGLISH) -> str:
    """A rung as the axis shows it."""
    if rung in NAMED:
        return say(NAMED[rung])
    return say("control: {rung}", rung=rung) if rung in CONTROLS else f"+ {rung}"


def shown(result: dict[str, Any], base: Base) -> list[str]:
    """The rungs that are compared with `base`, from the ladder's foot up."""
    compared = {name for own in by_store(result).values() for name in own["speedup"]}
    return [rung for rung in result["rungs"] if f"{rung}_vs_{base}" in compared]


def ablation(result: dict[str, Any], base: Base = "eagle", say: Words = ENGLISH) -> go.Figure:
    """Rung × speed-up over `base`: the per-prompt median with its 95 % interval, by store."""
    rungs, found = shown(result, base), by_store(result)
    figure = go.Figure([_marks(own, store, (rungs, base), say) for store, own in found.items()])
    layout = theme.layout(_alt(found, rungs, base, say), height=110 + 34 * len(rungs))
    layout["margin"] = layout["margin"] | {"l": 150}
    layout["xaxis"] = theme.axis(say(AXES[base]))
    layout["yaxis"] = theme.axis(showgrid=False, autorange="reversed", automargin=True)
    layout["shapes"] = [_one()]
    layout["scattermode"], layout["scattergap"] = "group", 0.5
    layout["uirevision"] = f"ablation-{base}"
    return figure.update_layout(layout)


def _marks(
    own: dict[str, Any], store: str, compared: tuple[list[str], Base], say: Words
) -> go.Scatter:
    (role, symbol), (rungs, base) = MARKS[store], compared
    found = {rung: own["speedup"].get(f"{rung}_vs_{base}") for rung in rungs}
    known = {rung: i for rung, i in found.items() if i is not None and i["median"] is not None}
    middles = [interval["median"] for interval in known.values()]
    return go.Scatter(
        x=middles,
        y=[label(rung, say) for rung in known],
        mode="markers",
        name=say(STORES[store]),
        offsetgroup=store,
        orientation="h",
        marker={"size": 9, "symbol": symbol, "color": theme.colour(role)},
        error_x={
            "array": [i["high"] - i["median"] for i in known.values()],
            "arrayminus": [i["median"] - i["low"] for i in known.values()],
            "color": theme.colour(role),
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[[i["low"], i["high"]] for i in known.values()],
        hovertemplate=say("%{y}<br>%{x:.3f} (%{customdata[0]:.3f} to %{customdata[1]:.3f})")
        + f"<extra>{say(STORES[store])}</extra>",
    )


def _one() -> dict:
    """The line of no gain."""
    line = {"color": theme.colour("muted"), "width": 1, "dash": "dot"}
    return {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _alt(found: dict[str, dict], rungs: list[str], base: Base, say: Words) -> str:
    told = []
    for store, own in found.items():
        for rung in rungs:
            interval = own["speedup"].get(f"{rung}_vs_{base}")
            if interval and interval["median"] is not None:
                name = label(rung, say)
                told.append(f"{name} {interval['median']:.2f} ({say(store)})")
    return say(ALTS[base], rungs=say(", ").join(told) or "–")
