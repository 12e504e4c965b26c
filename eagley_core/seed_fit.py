"""The seed's beta, solved from measured runs, and its formulas held against them.

Reuse of the channels R1 to R3 saves drafting and adds accepted tokens; it does not shorten a pass.
Beta is then what a shorter pass would have had to be to bring the same speed; it may be 0 or less.
"""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from eagley_core.statistics import Interval, ratio_interval
from eagley_core.theory import (
    Speedup,
    Step,
    leviathan_speedup,
    seed_eagley,
    seed_standard,
    sequoia_speedup,
    tokens,
)

MIN_TREES = 3


class Measured(NamedTuple):
    """One prompt with one tree size: EAGLE's step, and how fast EAGLE and EAGLEY were."""

    prompt: str
    tree: str
    step: Step
    draft_passes: float  # per step
    eagle: float  # speed-up over vanilla
    eagley: float


def measured(result: dict[str, Any]) -> list[Measured]:
    """The prompts of a bench result that all of vanilla, EAGLE and EAGLEY finished."""
    plain = "vanilla-fast" if result["vanilla_used"] == "fast" else "vanilla"
    rows: dict[tuple, dict[str, dict]] = {}
    for row in result["rows"]:
        place = (row["question_id"], row.get("turn", 0), row["repeat"])
        rows.setdefault(place, {})[row["lane"]] = row
    wanted = (plain, "eagle", "eagley")
    found = [[own.get(lane) for lane in wanted] for own in rows.values()]
    return [_measured(*three) for three in found if all(map(_is_usable, three))]


def _is_usable(row: dict | None) -> bool:
    return row is not None and bool(row["decode_tokens_per_second"] and row["target_passes"])


def _measured(vanilla: dict, eagle: dict, eagley: dict) -> Measured:
    passes, single = eagle["target_passes"], 1 / vanilla["decode_tokens_per_second"]
    step = Step(
        alpha=eagle["acceptance_rate"] or 0.0,
        accepted=eagle["accepted_draft_tokens_per_step"] or 0.0,
        single=single,
        draft=eagle["draft_seconds"] / passes,
        verify=eagle["verify_seconds"] / passes,
    )
    return Measured(
        prompt=f"{eagle['question_id']}/{eagle.get('turn', 0)}",
        tree=eagle["tree"],
        step=step,
        draft_passes=eagle["draft_passes"] / passes,
        eagle=eagle["decode_tokens_per_second"] * single,
        eagley=eagley["decode_tokens_per_second"] * single,
    )


def fit(runs: Sequence[Measured]) -> dict[str, Any]:
    """Beta for either numerator, the formulas' errors, and the figures by tree size.

    Raises ValueError where fewer than MIN_TREES tree sizes were measured.
    """
    trees = list(dict.fromkeys(run.tree for run in runs))
    if len(trees) < MIN_TREES:
        raise ValueError(f"a fit needs at least {MIN_TREES} tree sizes, got {trees or 'none'}")
    betas = {name: beta_of(runs, name) for name in Speedup._fields}
    return {
        "beta": {name: interval._asdict() for name, interval in betas.items()},
        "error": {name: _errors(runs, name, found.median) for name, found in betas.items()},
        "by_tree": [_by_tree([r for r in runs if r.tree == tree], tree) for tree in trees],
        "prompts": len({run.prompt for run in runs}),
    }


def beta_of(runs: Sequence[Measured], numerator: str) -> Interval:
    """Least squares on the seconds of a step; the interval is over prompts.

    By the formula count T_single / S = T_draft + T_verify - beta T_verify (1 - alpha), linear in
    beta. `median` holds the fit.
    """
    sums: dict[str, list[float]] = {}
    for run in runs:
        step, own = run.step, sums.setdefault(run.prompt, [0.0, 0.0])
        spent = getattr(tokens(step), numerator) * step.single / run.eagley
        saved, lever = step.draft + step.verify - spent, step.verify * (1 - step.alpha)
        own[0] += saved * lever
        own[1] += lever * lever
    return ratio_interval(*zip(*sums.values(), strict=True))


def _errors(runs: Sequence[Measured], name: str, beta: float | None) -> dict[str, float | None]:
    """Mean absolute errors of predicted speed-ups."""

    def error(predict: Callable[[Step], Speedup], of: str) -> float:
        return fmean(abs(getattr(predict(r.step), name) - getattr(r, of)) for r in runs)

    fitted = None if beta is None else error(lambda step: seed_eagley(step, beta), "eagley")
    return {
        "eagle": error(seed_standard, "eagle"),
        "eagley_without_beta": error(seed_standard, "eagley"),
        "eagley": fitted,
    }


def _by_tree(runs: Sequence[Measured], tree: str) -> dict[str, Any]:
    """Means over the prompts."""
    step = Step(*(fmean(column) for column in zip(*(run.step for run in runs), strict=True)))
    levels = fmean(run.draft_passes for run in runs)
    cost = step.draft / levels / step.single if levels else 0.0
    return {
        "tree": tree,
        **step._asdict(),
        "draft_passes": levels,
        "measured": {"eagle": _mean(runs, "eagle"), "eagley": _mean(runs, "eagley")},
        "seed": seed_standard(step)._asdict(),
        "leviathan": leviathan_speedup(step.alpha, levels, cost),
        "sequoia": sequoia_speedup(step.accepted + 1, step.verify / step.single, levels, cost),
    }


def _mean(runs: Sequence[Measured], name: str) -> float:
    return fmean(getattr(run, name) for run in runs)
