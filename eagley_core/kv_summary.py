"""Runs held against a clean pass, pooled over prompts. Pure; JSON-ready."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from eagley_core.statistics import ratio_interval

Row = dict[str, Any]
AGES = (1, 2, 4, 8, 16, 32, 64)  # upper ends of the age classes


def setting_figures(rows: Sequence[Row], name: str) -> Row:
    """One setting's figures; intervals are over prompts."""
    own = [row for row in rows if row["setting"] == name]
    counts = ("tokens", "mismatches", "stale_tokens", "stale_rows", "substituted_rows")
    return {
        "prompts": len(own),
        "identical": sum(row["is_identical"] for row in own),
        **{count: sum(row[count] for row in own) for count in counts},
        "mean_accepted_length": _interval(own, "step_tokens", "steps"),
        "acceptance": _interval(own, "accepted_levels", "tested_levels"),
        "mismatch_rate": _interval(own, "mismatches", "tokens"),
        "kl": _interval(own, "kl", "predictions"),
        "flip_rate": _interval(own, "flips", "predictions"),
        "by_age": by_age([age for row in own for age in row["ages"]]),
        "deltas": _deltas([delta for row in own for delta in row["deltas"]]),
        **{f: by_place([row[f] for row in own]) for f in ("key_errors", "value_errors")},
        "layer_similarity": by_place([row["layer_similarity"] for row in own]),
        "draft_similarity": by_place([row["draft_similarity"] for row in own]),
    }


def _interval(rows: Sequence[Row], above: str, below: str) -> Row:
    """A ratio of sums with its interval over the rows."""
    found = ratio_interval([row[above] for row in rows], [row[below] for row in rows])
    return {"value": found.median, "low": found.low, "high": found.high}


def by_place(lists: Sequence[Sequence[float] | None]) -> list[float] | None:
    """Means place by place, over the lists that reach so far; None where there is no list."""
    known = [values for values in lists if values]
    if not known:
        return None
    longest = max(map(len, known))
    return [fmean(v[i] for v in known if i < len(v)) for i in range(longest)]


def by_age(ages: Sequence[Row]) -> list[Row]:
    """Predictions by the age of the oldest stale row, in classes of doubling width."""
    classes: dict[int, list[Row]] = {}
    for age in ages:
        end = next((end for end in AGES if age["age"] <= end), AGES[-1])
        classes.setdefault(end, []).append(age)
    return [_age_class(end, classes[end]) for end in sorted(classes)]


def _age_class(end: int, own: Sequence[Row]) -> Row:
    count = sum(age["count"] for age in own)
    return {
        "up_to": end,
        "count": count,
        "kl": sum(age["kl"] * age["count"] for age in own) / count,
        "flip_rate": sum(age["flips"] for age in own) / count,
        "row_error": sum(age["error"] * age["count"] for age in own) / count,
    }


def _deltas(deltas: Sequence[Row]) -> list[Row]:
    """What each Delta leaves of attention's error, by layer."""
    layers = sorted({delta["layer"] for delta in deltas})
    return [
        {"layer": layer}
        | {
            kind: fmean(delta[kind] for delta in deltas if delta["layer"] == layer)
            for kind in ("none", "new", "exact")
        }
        for layer in layers
    ]


def ancestor_figures(rows: Sequence[Row]) -> Row:
    """What one changed ancestor leaves, by distance, as far as every prompt reaches."""
    reach = min(len(row["kl"]) for row in rows)
    means = {name: by_place([row[name][:reach] for row in rows]) for name in rows[0]}
    return {"prompts": len(rows), **means}
