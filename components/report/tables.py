"""What the results say, in tables."""

from collections.abc import Sequence
from typing import Any

from components.report.result import PLAIN, UNKNOWN, Result, interval, is_peer, label, pair_label
from components.report.table import Table

OVER_VANILLA = "Over vanilla: over the faster of row-invariant vanilla and plain one-row passes."
AGREE = "medians in each other's intervals"
HEADS = (
    "result",
    "method",
    "decode tokens/s",
    "whole call tokens/s",
    "mean accepted length",
    "identical to vanilla",
    "right answers",
)


def method_table(results: Sequence[Result]) -> Table:
    """Medians over prompts, with intervals where the file has them."""
    rows = [_method(result, lane) for result in results for lane in result.lanes]
    notes = [
        "Decode: tokens after the first pass, over the time after it. Whole call: prompt in to "
        "last token out; comparisons with transformers are by it, because the first pass of its "
        "assisted modes both reads the prompt and verifies guesses.",
    ]
    return Table("Methods: medians per prompt, with 95 % bootstrap intervals", HEADS, rows, notes)


def _method(result: Result, lane: str) -> tuple[str, ...]:
    figures = result.document["methods"][lane]
    right = result.document.get("accuracy", {}).get(lane)
    told = f"transformers {lane}" if is_peer(result, lane) else label(lane)
    return (
        result.name,
        told,
        _median(figures, "decode_tokens_per_second", 1),
        _median(figures, "call_tokens_per_second", 1),
        _median(figures, "mean_accepted_length", 2),
        _same(figures),
        f"{right['correct']} of {right['of']}" if right and right["of"] else "",
    )


def _median(figures: dict[str, Any], name: str, digits: int) -> str:
    found = figures.get("intervals", {}).get(name)
    if found:
        return interval(found, digits)
    value = figures.get(name)
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _same(figures: dict[str, Any]) -> str:
    compared = figures.get("compared", figures["runs"])
    return f"{figures['identical_to_vanilla']} of {compared}" if compared else "not comparable"


def ratio_table(results: Sequence[Result]) -> Table:
    """The figure of paired ratios, in numbers; whether several results of one file agree."""
    names = list(dict.fromkeys(pair for result in results for pair in result.document["speedup"]))
    asked = {result.setup.get("prompts_sha256") for result in results}
    several = len(results) > 1 and len(asked) == 1 and None not in asked
    rows = [
        (
            pair_label(pair, _having(results, pair)),
            *(_ratio(result, pair) for result in results),
            *([_agreement(results, pair)] if several else []),
        )
        for pair in names
    ]
    heads = ("pair", *(result.name for result in results), *([AGREE] if several else []))
    notes = [OVER_VANILLA, *(told for result in results for told in _best_peer(result))]
    return Table("Ratios of speed per prompt: median and 95 % interval", heads, rows, notes)


def _having(results: Sequence[Result], pair: str) -> Result:
    return next(result for result in results if pair in result.document["speedup"])


def _ratio(result: Result, pair: str) -> str:
    found = result.document["speedup"].get(pair)
    return interval(found) if found else ""


def _agreement(results: Sequence[Result], pair: str) -> str:
    """Whether every result's median lies in every other's interval."""
    found = [result.document["speedup"].get(pair) for result in results]
    known = [i for i in found if i and i["median"] is not None]
    if len(known) < 2:
        return ""
    inside = [i["low"] <= other["median"] <= i["high"] for i in known for other in known]
    return "yes" if all(inside) else "no"


def _best_peer(result: Result) -> list[str]:
    best = result.document.get("best_peer")
    found = result.document["speedup"].get(f"eagley_vs_{best}")
    if not found:
        return []
    told = f"transformers' fastest mode is {best}; EAGLEY over it, by whole calls"
    return [f"{result.name}: {told}: {interval(found)}."]


def category_table(results: Sequence[Result], pair: str) -> Table:
    categories = sorted({name for result in results for name in result.document["by_category"]})
    rows = []
    for name in categories:
        parts = [result.document["by_category"].get(name) for result in results]
        cells = [interval(part["speedup"].get(pair)) if part else "" for part in parts]
        rows.append((name or "all", *cells))
    heads = ("category", *(result.name for result in results))
    return Table(f"{pair_label(pair)} by category", heads, rows)


def drift_table(results: Sequence[Result]) -> Table:
    rows = [_drift(result) for result in results]
    heads = ("result", "first third, tokens/s", "last third, tokens/s", "last over first")
    notes = ["An interval that holds 1.00 shows no drift of the machine over the run."]
    return Table("Drift: vanilla's speed at the start and at the end", heads, rows, notes)


def _drift(result: Result) -> tuple[str, ...]:
    found = result.document.get("drift")
    if not found:
        is_timed = any(row.get("at") is not None for row in result.document["rows"])
        return (result.name, "too few runs" if is_timed else UNKNOWN, "", "")
    first, last = interval(found["first"], 1), interval(found["last"], 1)
    return (result.name, first, last, interval(found["ratio"]))


EQUALITY = ("result", "method", "identical outputs", "ties", "other differences", "largest margin")


def equality_table(results: Sequence[Result]) -> Table:
    """Whole outputs against row-invariant vanilla's, token by token."""
    rows = [
        _equality(result, lane)
        for result in results
        for lane in result.lanes
        if lane not in ("vanilla", PLAIN)
    ]
    notes = [
        "A tie: the two best tokens were so near each other that rounding decides. The margin is "
        "the target's own, of the best logit over the second, where an output first parts from "
        "vanilla's. Approximate rules part by design.",
    ]
    return Table("Equality with vanilla", EQUALITY, rows, notes)


def _equality(result: Result, lane: str) -> tuple[str, ...]:
    figures = result.document["methods"][lane]
    other = [found for found in figures["differences"] if not found["tie"]]
    ties = len(figures["differences"]) - len(other)
    margin = max((found["margin"] for found in other), default=None)
    told = f"transformers {lane}" if is_peer(result, lane) else label(lane)
    margin_told = "" if margin is None else f"{margin:.3g}"
    return (result.name, told, _same(figures), str(ties), str(len(other)), margin_told)
