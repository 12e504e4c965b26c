"""Medians and their uncertainty."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

RESAMPLES = 4000
REDRAWS = 1000  # of the steps of a run, while a visitor waits


class Interval(NamedTuple):
    """A median with the 95 % bootstrap interval of its sampling."""

    median: float | None
    low: float | None
    high: float | None


def median_interval(values: Sequence[float], seed: int = 0) -> Interval:
    """Percentile bootstrap over the values (Efron 1979). None where there are no values."""
    if not values:
        return Interval(None, None, None)
    data = np.asarray(values, dtype=float)
    picks = np.random.default_rng(seed).integers(len(data), size=(RESAMPLES, len(data)))
    low, high = np.percentile(np.median(data[picks], axis=1), [2.5, 97.5])
    return Interval(float(np.median(data)), float(low), float(high))


def ratio_interval(
    numerators: Sequence[float], denominators: Sequence[float], seed: int = 0
) -> Interval:
    """Sum over sum, as `median`, with the bootstrap interval of its sampling, pair by pair."""
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if not len(below) or below.sum() == 0:
        return Interval(None, None, None)
    picks = np.random.default_rng(seed).integers(len(below), size=(RESAMPLES, len(below)))
    totals = below[picks].sum(axis=1)
    ratios = above[picks].sum(axis=1)[totals != 0] / totals[totals != 0]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Interval(float(above.sum() / below.sum()), float(low), float(high))


class Paces(NamedTuple):
    """What a run's steps gave, and how long each took."""

    amounts: Sequence[float]
    seconds: Sequence[float]


def quotient_interval(own: Paces, base: Paces, seed: int = 0) -> Interval:
    """Speed over speed, as `median`, with the bootstrap interval of the scatter of single steps.

    The steps of the two runs are drawn again apart from each other, as if one did not depend on
    those before it. None where a run has no steps.
    """
    if not len(own.seconds) or not len(base.seconds) or not sum(base.amounts):
        return Interval(None, None, None)
    chance = np.random.default_rng(seed)
    quotients = _speeds(own, chance) / _speeds(base, chance)
    low, high = np.percentile(quotients, [2.5, 97.5])
    speed = sum(own.amounts) / sum(own.seconds)
    return Interval(speed * sum(base.seconds) / sum(base.amounts), float(low), float(high))


def _speeds(paces: Paces, chance: np.random.Generator) -> np.ndarray:
    """Sum over sum of the steps drawn again, [REDRAWS]; a few at a time, as runs can be long."""
    amounts, seconds = np.asarray(paces.amounts, float), np.asarray(paces.seconds, float)
    picks = (chance.integers(len(seconds), size=len(seconds)) for _ in range(REDRAWS))
    return np.array([amounts[pick].sum() / seconds[pick].sum() for pick in picks])


def medians_ratio(
    numerators: Sequence[float], denominators: Sequence[float], seed: int = 0
) -> Interval:
    """One median over another, of two samples that are not paired, with its bootstrap interval."""
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if not len(above) or not len(below) or np.median(below) == 0:
        return Interval(None, None, None)
    random = np.random.default_rng(seed)
    tops, bottoms = (
        np.median(data[random.integers(len(data), size=(RESAMPLES, len(data)))], axis=1)
        for data in (above, below)
    )
    low, high = np.percentile(tops[bottoms != 0] / bottoms[bottoms != 0], [2.5, 97.5])
    return Interval(float(np.median(above) / np.median(below)), float(low), float(high))


def share_interval(hits: int, tested: int) -> tuple[float | None, float | None]:
    """The 95 % interval of a share (Wilson 1927); it is of use at 0 and at 1 too."""
    if not tested:
        return None, None
    z, share = 1.959964, hits / tested
    middle = share + z * z / (2 * tested)
    half = z * ((share * (1 - share) + z * z / (4 * tested)) / tested) ** 0.5
    scale = 1 + z * z / tested
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def medians(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The median of every numeric field; of lists, place by place."""
    return {name: _median([row[name] for row in rows]) for name in _numeric(rows)}


def _numeric(rows: Sequence[dict[str, Any]]) -> list[str]:
    def counts(value: Any) -> bool:
        if isinstance(value, list):
            return bool(value) and all(v is None or isinstance(v, int | float) for v in value)
        return isinstance(value, int | float) and not isinstance(value, bool)

    def never(name: str) -> bool:
        return all(row[name] is None for row in rows)

    names = {name for row in rows for name, value in row.items() if counts(value) or never(name)}
    skipped = {"token_ids", "repeat", "seed", "temperature", "threads", "difference"}
    skipped |= {"identical_to_vanilla", "turn", "at", "observed"}
    return [name for name in rows[0] if name in names - skipped] if rows else []


def _median(values: list) -> Any:
    known = [value for value in values if value is not None]
    if known and isinstance(known[0], list):
        longest = max(map(len, known))
        return [_median([v[i] for v in known if i < len(v)]) for i in range(longest)]
    return float(np.median(known)) if known else None
