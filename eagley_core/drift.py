"""Whether the machine was the same at a run's end as at its start: vanilla's speed, by time."""

from collections.abc import Sequence
from typing import Any

from eagley_core.statistics import median_interval, medians_ratio

LEAST = 6  # runs: two in each third


def drift(runs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first third of a lane's runs against the last; None where they are too few.

    ratio: the last third's median speed over the first's. An interval that holds 1 shows no drift.
    """
    known = [row for row in runs if row["decode_tokens_per_second"]]
    speeds = [r["decode_tokens_per_second"] for r in sorted(known, key=lambda row: row["at"])]
    if len(speeds) < LEAST:
        return None
    third = len(speeds) // 3
    first, last = speeds[:third], speeds[-third:]
    return {
        "lane": known[0]["lane"],
        "runs": third,
        "first": median_interval(first)._asdict(),
        "last": median_interval(last)._asdict(),
        "ratio": medians_ratio(last, first)._asdict(),
    }
