"""The figures of a sweep, and of the serving model, as tables."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from components.figures.serving import BATCHES, Server
from components.figures.sweep import AXES, COLOURS, measured, methods, spelt
from components.theme import LANE_LABELS
from components.words import ENGLISH, Words
from eagley_core.serving import Drafting, Load, speedup


def sweep_table(result: Mapping[str, Any], say: Words = ENGLISH) -> pd.DataFrame:
    """A row per place and lane: every figure with its interval."""
    return pd.DataFrame(
        [
            {say(AXES[name]): _cell(value, say) for name, value in point["at"].items()}
            | {say("Lane"): LANE_LABELS[method]}
            | _figures(point, method, say)
            for point in result["points"]
            for method in methods(result)
        ]
    )


def _cell(value: Any, say: Words) -> Any:
    """Numbers stay numbers, so that a column of them can be sorted."""
    return spelt(value, say) if isinstance(value, bool) else value


def _figures(point: Mapping[str, Any], method: str, say: Words) -> dict[str, float | None]:
    row = {}
    for colour, text in COLOURS.items():
        found, name = measured(point, method, colour), say(text)
        places = {
            name: found["median"],
            say("{figure}, low", figure=name): found["low"],
            say("{figure}, high", figure=name): found["high"],
        }
        row |= {place: None if x is None else round(x, 3) for place, x in places.items()}
    return row


def serving_table(
    server: Server, context: int, drafts: Mapping[str, Drafting], say: Words = ENGLISH
) -> pd.DataFrame:
    """A row per batch: the modelled speed-up of every lane; empty where memory ends."""
    columns = {
        LANE_LABELS[name]: [_gain(server, Load(batch, context), drafting) for batch in BATCHES]
        for name, drafting in drafts.items()
    }
    return pd.DataFrame({say("sequences decoded at once"): BATCHES} | columns)


def _gain(server: Server, load: Load, drafting: Drafting) -> float | None:
    gain = speedup(*server, load, drafting)
    return None if gain is None else round(gain, 3)
