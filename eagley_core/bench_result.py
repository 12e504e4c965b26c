"""The rows of a bench, compared in pairs."""

from collections.abc import Sequence
from statistics import median

from eagley_core.journal import Row
from eagley_core.results import error_fields
from eagley_core.statistics import median_interval, medians

PLAIN = "vanilla-fast"  # vanilla with one-row passes of torch's own attention
INNER = ("environment", "observed")  # parts of a row that the result does not repeat


def result_of(rows: Sequence[Row]) -> Row:
    """The rows of all items, compared."""
    lanes = dict.fromkeys(row["lane"] for row in rows)
    by_lane = {name: [row for row in rows if row["lane"] == name] for name in lanes}
    used = _faster_vanilla(by_lane)
    named = {name: runs for name, runs in by_lane.items() if name != PLAIN}
    environment = rows[0]["environment"]
    categories = sorted({row["category"] for row in rows})
    return {
        "methods": {name: _summary(runs) for name, runs in by_lane.items()},
        "speedup": _speedups(named, by_lane.get(used)),
        "vanilla_used": None if used is None else "fast" if used == PLAIN else "invariant",
        "by_category": {c: _category(by_lane, used, c) for c in categories},
        "rows": [{k: v for k, v in row.items() if k not in INNER} for row in rows],
        "environment": environment,
    }


def _faster_vanilla(by_lane: dict[str, list[Row]]) -> str | None:
    vanillas = [name for name in ("vanilla", PLAIN) if name in by_lane]
    speed = {name: medians(by_lane[name])["decode_tokens_per_second"] for name in vanillas}
    return max(vanillas, key=lambda name: speed[name] or 0.0, default=None)


def _summary(runs: list[Row]) -> Row:
    compared = [row for row in runs if row["identical_to_vanilla"] is not None]
    return {
        **medians(runs),
        "prompts": len({row["question_id"] for row in runs}),
        "runs": len(runs),
        "identical_to_vanilla": sum(row["identical_to_vanilla"] for row in compared),
        "differences": [
            {"question_id": row["question_id"], "tie": row["difference"]["is_tie"]}
            | {name: row["difference"][name] for name in ("position", "margin")}
            for row in compared
            if row["difference"]
        ],
        "errors": _errors(runs, compared),
    }


def _errors(runs: list[Row], compared: list[Row]) -> Row | None:
    """What an approximate rule cost over all runs, and how far they lie from vanilla's."""
    if runs[0]["observed"] is None:
        return None
    firsts = [row["difference"]["position"] for row in compared if row["difference"]]
    return {
        **error_fields([row["observed"] for row in runs]),
        "differing_tokens": sum(row["differing_tokens"] for row in compared),
        "first_difference": median(firsts) if firsts else None,
        "whole_outputs_identical": len(compared) - len(firsts),
        "whole_outputs_compared": len(compared),
    }


def _speedups(named: dict[str, list[Row]], vanilla: list[Row] | None) -> Row:
    pairs = {}
    for name, runs in named.items():
        if name != "vanilla" and vanilla is not None:
            pairs[f"{name}_vs_vanilla"] = (runs, vanilla)
    for name, runs in named.items():
        if "eagle" in named and name not in ("vanilla", "eagle"):
            pairs[f"{name}_vs_eagle"] = (runs, named["eagle"])
    return {name: median_interval(_ratios(*pair))._asdict() for name, pair in pairs.items()}


def _ratios(runs: list[Row], base: list[Row]) -> list[float]:
    """Per-prompt ratios of decode speed, in the same run and repeat."""
    speeds = [
        (a["decode_tokens_per_second"], b["decode_tokens_per_second"])
        for a, b in zip(runs, base, strict=True)
    ]
    return [ours / theirs for ours, theirs in speeds if ours and theirs]


def _category(by_lane: dict[str, list[Row]], used: str | None, category: str) -> Row:
    own = {n: [r for r in runs if r["category"] == category] for n, runs in by_lane.items()}
    named = {name: runs for name, runs in own.items() if name != PLAIN}
    return {
        "methods": {name: medians(runs) for name, runs in named.items()},
        "speedup": _speedups(named, own.get(used)),
    }
