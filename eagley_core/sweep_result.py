"""The result of a sweep: a bench's figures at every place of its grid, in one file. No torch."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eagley_core.bench_result import result_of
from eagley_core.journal import Row
from eagley_core.sweep import DRAFTING, Part, Sweep, lane_name

FORMAT = "eagley-sweep"
LEFT_OUT = ("text", "token_ids", "observed", "environment")  # of a row: what makes files large
KEPT = ("methods", "speedup", "vanilla_used")  # of a place's own result


def sweep_result(sweep: Sweep, parts: Sequence[Part], rows: Mapping[str, Sequence[Row]]) -> Row:
    """rows: by the part's name. Every place has the figures that a bench there would have."""
    points = [_at(part, point, rows[part.name]) for part in parts for point in part.points]
    every = [row for part in parts for row in rows[part.name]]
    return {
        "format": FORMAT,
        "axes": {name: list(values) for name, values in sweep.axes.items()},
        "points": points,
        "rows": [{k: v for k, v in row.items() if k not in LEFT_OUT} for row in every],
        "environment": every[0]["environment"],
    }


def _at(part: Part, point: dict[str, Any], rows: Sequence[Row]) -> Row:
    """The lanes of one place by their methods' names, and the vanilla that all places share."""
    grown = {lane_name(method, other) for other in part.points for method in DRAFTING}
    names = {row["lane"]: row["lane"] for row in rows if row["lane"] not in grown}
    names |= {lane_name(method, point): method for method in DRAFTING}
    found = result_of([r | {"lane": names[r["lane"]]} for r in rows if r["lane"] in names])
    return {"at": point} | {name: found[name] for name in KEPT}


def read_sweep_result(path: str | Path) -> Row:
    """Raises ValueError that names the file and says what is wrong with it."""
    name = Path(path).name
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"its format is {found['format']!r}")
        _check(found)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is not the result of a sweep: {error}") from error
    return found


def _check(found: Row) -> None:
    axes = {name: list(values) for name, values in found["axes"].items()}
    for point in found["points"]:
        if set(point["at"]) != set(axes):
            raise ValueError(f"a place has {sorted(point['at'])}, the axes are {sorted(axes)}")
        if any(value not in axes[name] for name, value in point["at"].items()):
            raise ValueError(f"the place {point['at']} is not on the grid")
        if not isinstance(point["methods"], dict) or not isinstance(point["speedup"], dict):
            raise TypeError(f"the place {point['at']} has no figures")
