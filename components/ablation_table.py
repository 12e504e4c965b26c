"""The ablation's figures as a table."""

from typing import Any

import pandas as pd

from components.figures.ablation import label
from components.words import ENGLISH, Phrase, Words
from eagley_core.ablation_result import by_store

COLUMNS = [
    Phrase("store"),
    Phrase("rung"),
    Phrase("tokens/s"),
    Phrase("accepted length"),
    Phrase("over vanilla"),
    Phrase("over EAGLE"),
    Phrase("low"),
    Phrase("high"),
    Phrase("identical"),
    Phrase("came back"),
    Phrase("from rejected"),
    Phrase("oracle adds per step"),
]


def ablation_table(result: dict[str, Any], say: Words = ENGLISH) -> pd.DataFrame:
    """One row per store and rung.

    `low` and `high` bound the speed over EAGLE; `came back` is the share of the steps after a
    rejection with an accepted node that the draft had not; `from rejected` the share of such nodes
    that was kept from a rejected one.
    """
    rows = [
        _row(store, rung, own, say)
        for store, own in by_store(result).items()
        for rung in result["rungs"]
        if rung in own["methods"]
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.rename(columns={name: say(name) for name in COLUMNS})


def _row(store: str, rung: str, own: dict[str, Any], say: Words) -> dict[str, Any]:
    figures, reuse = own["methods"][rung], own["reuse"].get(rung, {})
    over = own["speedup"].get(f"{rung}_vs_eagle") or {}
    vanilla = own["speedup"].get(f"{rung}_vs_vanilla") or {}
    numbers = {
        "tokens/s": figures["decode_tokens_per_second"],
        "accepted length": figures["mean_accepted_length"],
        "over vanilla": vanilla.get("median"),
        "over EAGLE": over.get("median"),
        "low": over.get("low"),
        "high": over.get("high"),
        "came back": reuse.get("returned", {}).get("only", {}).get("value"),
        "from rejected": reuse.get("rejected_share", {}).get("value"),
        "oracle adds per step": reuse.get("oracle", {}).get("added_per_step"),
    }
    rounded = {name: None if x is None else round(x, 3) for name, x in numbers.items()}
    identical = f"{figures['identical_to_vanilla']}/{figures['runs']}"
    name = say("vanilla") if rung == "vanilla" else label(rung, say)
    return {"store": say(store), "rung": name, "identical": identical} | rounded
