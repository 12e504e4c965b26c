"""Several methods over the same prompts, interleaved, with paired figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from eagley_core.config import DecodeConfig
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import first_difference
from eagley_core.prompt_file import PromptLine
from eagley_core.results import run_fields
from eagley_core.statistics import median_interval, medians
from eagley_core.trace import Trace

PLAIN = "vanilla-fast"  # vanilla with one-row passes of torch's own attention
WARM_UP_TOKENS = 8


@dataclass(frozen=True)
class Plan:
    """What to run: lanes by name, in the order in which every prompt meets them."""

    lanes: Mapping[str, DecodeConfig]
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, got {self.repeats}")


Row = dict[str, Any]
Done = Callable[[PromptLine, dict[str, Trace]], None]
"""Told after every prompt, with its traces by lane."""


def bench(lab: Lab, lines: Sequence[PromptLine], plan: Plan, done: Done) -> Row:
    """Run every lane on every prompt, A B C A B C …, and compare them in pairs.

    Where vanilla is row-invariant a lane of plain vanilla is added, so that speed-ups are against
    the faster of the two.
    """
    lanes = dict(plan.lanes)
    if "vanilla" in lanes and lab.engine.is_invariant(lanes["vanilla"]):
        lanes[PLAIN] = replace(lanes["vanilla"], numerics="fast")
    for config in lanes.values():
        _ran(lab, lines[0], replace(config, max_new_tokens=WARM_UP_TOKENS))
    rows: list[Row] = []
    for repeat in range(plan.repeats):
        for line in lines:
            traces = {name: _ran(lab, line, config) for name, config in lanes.items()}
            rows += [_row(line, repeat, name, traces) for name in lanes]
            done(line, traces)
    return _result(rows, list(lanes))


def _ran(lab: Lab, line: PromptLine, config: DecodeConfig) -> Trace:
    prompt = Prompt(line.text, name=line.question_id, category=line.category)
    return lab.recorded(prompt, config, list(lab.steps(prompt, config)))


def _row(line: PromptLine, repeat: int, name: str, traces: dict[str, Trace]) -> Row:
    trace, reference = traces[name], traces.get("vanilla")
    difference = first_difference(trace, reference) if reference else None
    return {
        "lane": name,
        "question_id": line.question_id,
        "category": line.category,
        "repeat": repeat,
        **run_fields(trace),
        "identical_to_vanilla": None if reference is None else difference is None,
        "difference": difference and difference._asdict(),
        "environment": asdict(trace.environment),
    }


def _result(rows: list[Row], lanes: list[str]) -> Row:
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
        "rows": [{k: v for k, v in row.items() if k != "environment"} for row in rows],
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
    }


def _speedups(named: dict[str, list[Row]], vanilla: list[Row] | None) -> Row:
    pairs = {}
    for name, runs in named.items():
        if name != "vanilla" and vanilla is not None:
            pairs[f"{name}_vs_vanilla"] = (runs, vanilla)
    if "eagle" in named and "eagley" in named:
        pairs["eagley_vs_eagle"] = (named["eagley"], named["eagle"])
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
