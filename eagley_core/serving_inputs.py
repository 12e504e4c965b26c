"""What the serving model is fed with, and held against: measured runs and measured passes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from eagley_core.devices import Device
from eagley_core.serving import VANILLA, Drafting, Load, Shape, seconds, target_pass
from eagley_core.statistics import Interval

if TYPE_CHECKING:
    from eagley_core.costs import Costs

FEED_ROWS = 4.0  # of a draft pass where a result does not say its tree: the default's


def drafting_of(result: Mapping[str, Any], method: str) -> Drafting:
    """A method's steps in a bench's result, as means over all its steps.

    Raises ValueError where the result has no whole step of that method.
    """
    rows = [row for row in result["rows"] if row["lane"] == method and row["target_passes"]]
    lengths = [row["mean_accepted_length"] for row in rows if row["mean_accepted_length"]]
    if not lengths:
        raise ValueError(f"the result has no step of {method}")
    passes = sum(row["target_passes"] for row in rows)
    return Drafting(
        tokens=_weighted(rows),
        rows=sum(row["rows_verified"] for row in rows) / passes,
        passes=sum(row["draft_passes"] for row in rows) / passes,
        width=_width(rows[0]["tree"]),
        size=result["methods"][method].get("draft_size_ratio") or 0.0,
    )


def _weighted(rows: Sequence[Mapping[str, Any]]) -> float:
    """Tokens per target pass over all runs; a run's length counts as often as it has passes."""
    known = [row for row in rows if row["mean_accepted_length"]]
    passes = sum(row["target_passes"] for row in known)
    return sum(row["mean_accepted_length"] * row["target_passes"] for row in known) / passes


def _width(tree: str) -> float:
    """Rows of a draft pass beyond the first: the tree's top-k."""
    kind, _, sizes = tree.partition(":")
    return float(sizes.split(",")[2]) if sizes else FEED_ROWS


def measured_speedup(result: Mapping[str, Any], method: str) -> Interval:
    """The per-prompt speed-up over vanilla that the result has."""
    found = result["speedup"].get(f"{method}_vs_vanilla")
    return Interval(**found) if found else Interval(None, None, None)


def by_costs(costs: "Costs", load: Load, drafting: Drafting) -> float | None:
    """The same speed-up from measured passes instead of a roofline.

    None where the batch's rows are more than were measured. The rows of all sequences count as
    those of one behind its context.
    """
    known = costs.behind(load.context).verify
    rows, plain = load.batch * drafting.rows, load.batch * VANILLA.rows
    if rows > len(known) - 1:
        return None
    step = drafting.passes * _draft_seconds(costs) + between(known, rows)
    return drafting.tokens * between(known, plain) / step


def _draft_seconds(costs: "Costs") -> float:
    """One pass of the draft: a step's first one costs `feed`, further ones `extend`."""
    return fmean((costs.feed, costs.extend))


def between(known: Sequence[float], rows: float) -> float:
    """Seconds of a pass; `known` by whole rows."""
    low = int(rows)
    share = rows - low
    return known[low] if not share else (1 - share) * known[low] + share * known[low + 1]


def check(device: Device, shape: Shape, verify: Sequence[float], context: int) -> dict[str, Any]:
    """The roofline's pass times against measured ones, by number of rows; alone, and with the one
    constant per pass that fits best.

    verify: seconds by rows, `verify[0]` unused. Errors are means of |predicted / measured - 1|.
    """
    rows = range(1, len(verify))
    alone = [seconds(device, target_pass(shape, Load(1, context), n)) for n in rows]
    fixed = max(0.0, median(t - p for t, p in zip(verify[1:], alone, strict=True)))
    fitted = replace(device, fixed=fixed)
    return {
        "rows": list(rows),
        "measured": list(verify[1:]),
        "roofline": alone,
        "error": _error(alone, verify[1:]),
        "fixed": fixed,
        "error_with_fixed": _error([p + fitted.fixed for p in alone], verify[1:]),
    }


def _error(predicted: Sequence[float], measured: Sequence[float]) -> float:
    return fmean(abs(p / m - 1) for p, m in zip(predicted, measured, strict=True))
