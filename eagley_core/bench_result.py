"""From the rows of a bench to its result: medians, intervals, paired ratios, equality. No torch."""

from collections.abc import Sequence
from statistics import median

from eagley_core.drift import drift
from eagley_core.journal import Row
from eagley_core.results import error_fields
from eagley_core.statistics import median_interval, medians

FORMAT = "eagley-bench"
PLAIN = "vanilla-fast"  # vanilla with one-row passes of torch's own attention
INNER = ("environment", "observed")  # parts of a row that the result does not repeat
DECODE, CALL = "decode_tokens_per_second", "call_tokens_per_second"
WITH_INTERVAL = (DECODE, CALL, "mean_accepted_length", "acceptance_rate")

Lanes = dict[str, list[Row]]


def result_of(rows: Sequence[Row]) -> Row:
    """rows: of every lane on every prompt, a prompt's lanes together, as they were run."""
    by_lane: Lanes = {}
    for row in rows:
        by_lane.setdefault(row["lane"], []).append(row)
    used = _faster_vanilla(by_lane)
    categories = sorted({row["category"] for row in rows})
    ratios = {name: paired(*pair) for name, pair in _pairs(by_lane, used).items()}
    return {
        "format": FORMAT,
        "methods": {name: _summary(runs) for name, runs in by_lane.items()},
        "speedup": {name: _interval(found) for name, found in ratios.items()},
        "vanilla_used": None if used is None else "fast" if used == PLAIN else "invariant",
        "by_category": {c: _category(by_lane, used, c) for c in categories},
        "ratios": ratios,
        "drift": drift(by_lane.get("vanilla", [])),
        "best_peer": _best_peer(by_lane),
        "rows": [{k: v for k, v in row.items() if k not in INNER} for row in rows],
        "environment": rows[0]["environment"],
    }


def _faster_vanilla(by_lane: Lanes) -> str | None:
    return _fastest(by_lane, [name for name in ("vanilla", PLAIN) if name in by_lane], DECODE)


def _best_peer(by_lane: Lanes) -> str | None:
    peers = [name for name, runs in by_lane.items() if is_peer(runs)]
    return _fastest(by_lane, peers, CALL)


def _fastest(by_lane: Lanes, names: Sequence[str], figure: str) -> str | None:
    speed = {name: medians(by_lane[name])[figure] for name in names}
    return max(names, key=lambda name: speed[name] or 0.0, default=None)


def is_peer(runs: Sequence[Row]) -> bool:
    """Whether a lane is another program's."""
    return bool(runs) and runs[0]["engine"] != "eagley_core"


def _summary(runs: list[Row]) -> Row:
    compared = [row for row in runs if row["identical_to_vanilla"] is not None]
    return {
        **medians(runs),
        "prompts": len({row["question_id"] for row in runs}),
        "runs": len(runs),
        "compared": len(compared),
        "identical_to_vanilla": sum(row["identical_to_vanilla"] for row in compared),
        "ties": sum(row["difference"]["is_tie"] for row in compared if row["difference"]),
        "differences": [
            {"question_id": row["question_id"], "tie": row["difference"]["is_tie"]}
            | {name: row["difference"][name] for name in ("position", "margin")}
            for row in compared
            if row["difference"]
        ],
        "errors": _errors(runs, compared),
        "intervals": {
            name: median_interval([row[name] for row in runs if row[name] is not None])._asdict()
            for name in WITH_INTERVAL
        },
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


def _pairs(by_lane: Lanes, used: str | None) -> dict[str, tuple[list[Row], list[Row], str]]:
    """What is compared: runs, base and by which figure.

    Lanes of our engine by decode speed. With peers by whole calls, prompt in to last token out:
    a peer's first pass both reads the prompt and verifies guesses, so its prefill is no part apart.
    """
    own = {name: runs for name, runs in by_lane.items() if not is_peer(runs)}
    drafting = [name for name in own if name not in ("vanilla", PLAIN)]
    pairs = {}
    if used is not None:
        pairs |= {f"{name}_vs_vanilla": (own[name], own[used], DECODE) for name in drafting}
    if "eagle" in own:
        others = [name for name in drafting if name != "eagle"]
        pairs |= {f"{name}_vs_eagle": (own[name], own["eagle"], DECODE) for name in others}
    for peer, runs in by_lane.items():
        if is_peer(runs):
            pairs |= {f"{name}_vs_{peer}": (own[name], runs, CALL) for name in own}
    return pairs


def paired(runs: Sequence[Row], base: Sequence[Row], figure: str) -> list[Row]:
    """Per-prompt ratios of a speed, in the same run, turn and repeat; unknown ones are left out."""
    return [
        {name: ours[name] for name in ("question_id", "turn", "repeat")}
        | {"ratio": ours[figure] / theirs[figure]}
        for ours, theirs in zip(runs, base, strict=True)
        if ours[figure] and theirs[figure]
    ]


def _interval(ratios: Sequence[Row]) -> Row:
    return median_interval([found["ratio"] for found in ratios])._asdict()


def _category(by_lane: Lanes, used: str | None, category: str) -> Row:
    own = {n: [r for r in runs if r["category"] == category] for n, runs in by_lane.items()}
    ratios = {name: paired(*pair) for name, pair in _pairs(own, used).items()}
    return {
        "methods": {name: medians(runs) for name, runs in own.items() if name != PLAIN},
        "speedup": {name: _interval(found) for name, found in ratios.items()},
    }
