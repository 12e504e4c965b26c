"""A result file as the report reads it. Older files lack some parts: those are not told."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from components import theme

LARGEST = 500_000_000  # bytes; a result of thousands of runs has a hundredth of that
PARTS = ("methods", "speedup", "by_category", "rows", "environment")
PLAIN = "vanilla-fast"
UNKNOWN = "not recorded"


class Result(NamedTuple):
    """One file. `name` is the file's, without its ending."""

    name: str
    document: dict[str, Any]

    @property
    def setup(self) -> dict[str, Any]:
        return self.document.get("setup") or {}

    @property
    def suite(self) -> str | None:
        return self.setup.get("suite")

    @property
    def target(self) -> str:
        return self.document["rows"][0]["target"]

    @property
    def lanes(self) -> list[str]:
        return list(self.document["methods"])

    def rows(self, lane: str) -> list[dict[str, Any]]:
        return [row for row in self.document["rows"] if row["lane"] == lane]

    def ratios(self, pair: str) -> list[float]:
        """Per prompt; empty where the file has medians only."""
        return [found["ratio"] for found in self.document.get("ratios", {}).get(pair, ())]


def read(path: Path) -> Result:
    """Raises ValueError that names the file where it is no result of bench."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path} is too large for a result of bench")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        missing = [part for part in PARTS if part not in document]
        if missing or not document["rows"]:
            raise ValueError(f"it has no {missing[0] if missing else 'rows'}")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a result of bench: {error}") from error
    return Result(path.stem, document)


def read_all(paths: Sequence[Path]) -> list[Result]:
    """Results with names of their own: files of one name are told apart by their folder."""
    found = [read(path) for path in paths]
    names = [result.name for result in found]
    return [
        result._replace(name=f"{path.parent.name}/{result.name}")
        if names.count(result.name) > 1
        else result
        for path, result in zip(paths, found, strict=True)
    ]


def label(lane: str) -> str:
    """A lane as the report calls it."""
    method, bracket, rule = lane.partition("[")
    if lane == PLAIN:
        return "Vanilla, plain passes"
    return theme.LANE_LABELS.get(method, method) + bracket + rule


def pair_label(pair: str, result: Result | None = None) -> str:
    """`eagley_vs_vanilla` in words; comparisons with other programs are of whole calls."""
    ours, _, base = pair.rpartition("_vs_")
    whole = result is not None and is_peer(result, base)
    return f"{label(ours)} over {label(base)}{', whole calls' if whole else ''}"


def is_peer(result: Result, lane: str) -> bool:
    rows = result.rows(lane)
    return bool(rows) and rows[0].get("engine", "eagley_core") != "eagley_core"


def interval(found: dict[str, Any] | None, digits: int = 2) -> str:
    """`1.52 (1.43 to 1.67)`."""
    if not found or found.get("median") is None:
        return "unknown"
    return "{median:.{d}f} ({low:.{d}f} to {high:.{d}f})".format(**found, d=digits)
