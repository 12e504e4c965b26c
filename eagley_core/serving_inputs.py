"""What the serving model is fed with, and held against: measured runs and measured passes."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from eagley_core.devices import Device, reaching
from eagley_core.serving import VANILLA, Drafting, Load, Shape, seconds, target_pass
from eagley_core.statistics import Interval, median_interval

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
    """The per-prompt speed-up over the result's own vanilla lane, whose passes are priced as
    those of the method are; a bench's own speed-ups may be over a faster vanilla."""
    speeds: dict[tuple, dict[str, float | None]] = {}
    for row in result["rows"]:
        place = (row["question_id"], row.get("turn", 0), row["repeat"])
        speeds.setdefault(place, {})[row["lane"]] = row["decode_tokens_per_second"]
    pairs = [(own.get(method), own.get("vanilla")) for own in speeds.values()]
    return median_interval([ours / plain for ours, plain in pairs if ours and plain])


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
    """The roofline's pass times against measured ones, by number of rows: with the device's
    peaks, and with the shares of them that fit the passes of the fewest and of the most rows.

    verify: seconds by rows, `verify[0]` unused. Errors are means of |predicted / measured - 1|.
    """
    shares = fitted(device, shape, verify, context)
    peak, fit = (_passes(d, shape, len(verify), context) for d in (device, shares))
    return {
        "rows": list(range(1, len(verify))),
        "measured": list(verify[1:]),
        "roofline": peak,
        "error": _error(peak, verify[1:]),
        "fitted": fit,
        "fitted_error": _error(fit, verify[1:]),
        "read": shares.read,
        "computed": shares.computed,
    }


def fitted(device: Device, shape: Shape, verify: Sequence[float], context: int) -> Device:
    """The device with the shares of its peaks that one row reads at, and most rows compute at."""
    most = len(verify) - 1
    read = target_pass(shape, Load(1, context), 1).bytes / device.bandwidth / verify[1]
    work = target_pass(shape, Load(1, context), most).operations
    computed = work / device.compute / verify[most]
    return reaching(device, min(1.0, read), min(1.0, computed))


def _passes(device: Device, shape: Shape, end: int, context: int) -> list[float]:
    return [seconds(device, target_pass(shape, Load(1, context), n)) for n in range(1, end)]


def _error(predicted: Sequence[float], measured: Sequence[float]) -> float:
    return fmean(abs(p / m - 1) for p, m in zip(predicted, measured, strict=True))
