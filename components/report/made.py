"""What each result was made of."""

from collections.abc import Sequence
from typing import Any

from components.report.result import UNKNOWN, Result
from components.report.table import Table


def setup_table(results: Sequence[Result]) -> Table:
    """Models, machine, versions and load, a column per result."""
    told = {name: [_text(found(result)) for result in results] for name, found in SETUP.items()}
    rows = [(name, *cells) for name, cells in told.items()]
    return Table("What was run", ("", *(result.name for result in results)), rows)


def _text(value: Any) -> str:
    return UNKNOWN if value in (None, "", {}) else str(value)


def _questions(result: Result) -> str:
    rows = result.document["rows"]
    names = {row["question_id"] for row in rows}
    repeats = len({row["repeat"] for row in rows})
    return f"{len(names)}, {repeats} repeat{'s' if repeats > 1 else ''}"


def _first(files: dict[str, str] | None) -> str | None:
    """The weights' hash, shortened; all of them are in the file."""
    weights = [f"{n}: {h[:12]}…" for n, h in (files or {}).items() if n != "config.json"]
    return ", ".join(weights) or None


def _load(result: Result) -> str | None:
    load = result.setup.get("load")
    if not load or load["share"] is None:
        return None
    return f"{load['share']:.0%} of {load['processors']} processors{', busy' * load['is_busy']}"


def _versions(result: Result) -> str:
    made = result.document["environment"]
    return ", ".join(f"{name} {made[name]}" for name in ("python", "torch", "transformers"))


def _draft(result: Result) -> str | None:
    named = {row["draft"] for row in result.document["rows"] if row["draft"] not in (None, "none")}
    return ", ".join(sorted(named)) or None


def _machine(result: Result) -> str:
    made = result.document["environment"]
    return "{device}, {processor}, {dtype}, {threads} threads".format(**made)


SETUP = {
    "target": lambda result: result.target,
    "target's hash": lambda result: _first(result.setup.get("target")),
    "draft": _draft,
    "draft's hash": lambda result: _first(result.setup.get("draft")),
    "questions": _questions,
    "asked from": lambda result: result.setup.get("suite") or result.setup.get("prompts"),
    "machine": _machine,
    "numerics": lambda result: result.document["environment"]["numerics"],
    "versions": _versions,
    "started": lambda result: result.setup.get("started"),
    "load before": _load,
    "command": lambda result: result.setup.get("command"),
}
