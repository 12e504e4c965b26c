"""A bench over a grid of settings; what varies is named in a file."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from eagley_core.config import DecodeConfig
from eagley_core.reuse import channels_of
from eagley_core.rule import Rule

KINDS: dict[str, type] = {
    "tree.total": int,
    "tree.depth": int,
    "tree.top_k": int,
    "rule": str,
    "reuse": str,
    "temperature": float,
    "coupled": bool,
}
MOST_POINTS = 400
VANILLA, DRAFTING = "vanilla", ("eagle", "eagley")

Point = dict[str, Any]
"""One place of the grid: a value of every axis."""


@dataclass(frozen=True)
class Sweep:
    """A grid: the values of every axis, in the file's order."""

    axes: Mapping[str, tuple]

    def __post_init__(self) -> None:
        if not self.axes:
            raise ValueError(f"nothing varies: name some of {', '.join(KINDS)} under [vary]")
        for name, values in self.axes.items():
            _check_axis(name, values)
        if len(self.points) > MOST_POINTS:
            raise ValueError(
                f"the grid has {len(self.points)} points, more than {MOST_POINTS}: split the file"
            )

    @property
    def points(self) -> list[Point]:
        return [dict(zip(self.axes, at, strict=True)) for at in product(*self.axes.values())]


def _check_axis(name: str, values: Sequence) -> None:
    if name not in KINDS:
        raise ValueError(f"what varies must be among {', '.join(KINDS)}, got {name!r}")
    if not values:
        raise ValueError(f"{name} has no value")
    for value in values:
        if type(value) is not KINDS[name]:
            raise ValueError(f"{name} varies over a {type(value).__name__}: {value!r}")
    if len(set(values)) < len(values):
        raise ValueError(f"{name} has a value twice: {list(values)}")


def read_sweep(path: str | Path) -> Sweep:
    """Read a TOML file with a table `vary` of lists. Raises ValueError that names the file."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        if set(document) != {"vary"}:
            raise ValueError(f"it has the tables {sorted(document)}, not [vary] alone")
        return Sweep({name: _values(name, raw) for name, raw in _flat(document["vary"]).items()})
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no sweep: {error}") from error


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """`tree.total = […]` is a table in a table to TOML."""
    flat = {}
    for name, value in table.items():
        inner = value.items() if isinstance(value, dict) else [(None, value)]
        flat |= {name if part is None else f"{name}.{part}": found for part, found in inner}
    return flat


def _values(name: str, raw: Any) -> tuple:
    """A list's values; whole temperatures are numbers too."""
    if not isinstance(raw, list):
        raise TypeError(f"{name} must be a list, got {raw!r}")
    return tuple(float(v) if type(v) is int and KINDS.get(name) is float else v for v in raw)


def at(base: DecodeConfig, point: Point) -> DecodeConfig:
    """The settings at one place. Raises ValueError that names it where they do not go together."""
    tree = {k.removeprefix("tree."): v for k, v in point.items() if k.startswith("tree.")}
    plain = {k: v for k, v in point.items() if not k.startswith("tree.")}
    try:
        if "rule" in plain:
            plain["rule"] = Rule.parse(plain["rule"])
        if "reuse" in plain:
            plain["reuse"] = channels_of(plain["reuse"])
        if tree and base.tree.kind == "fixed":
            raise ValueError("a tree of kind fixed has no sizes")
        return replace(base, tree=replace(base.tree, **tree), **plain)
    except ValueError as error:
        raise ValueError(f"at {told(point)}: {error}") from error


def told(point: Point) -> str:
    return ", ".join(f"{name}={value}" for name, value in point.items())


@dataclass(frozen=True)
class Part:
    """Places that share their vanilla, which is run once for all of them.

    lanes: `vanilla`, where it is asked for, and `METHOD at PLACE`.
    """

    name: str
    points: Sequence[Point]
    lanes: Mapping[str, DecodeConfig]


def parts_of(sweep: Sweep, bases: Mapping[str, DecodeConfig]) -> list[Part]:
    """The grid by temperature: only that changes what vanilla does. bases: settings by method."""
    found: dict[Any, list[Point]] = {}
    for point in sweep.points:
        found.setdefault(point.get("temperature"), []).append(point)
    return [_part(key, points, bases) for key, points in found.items()]


def _part(key: Any, points: Sequence[Point], bases: Mapping[str, DecodeConfig]) -> Part:
    heat = {} if key is None else {"temperature": key}
    plain = {k: replace(v, **heat) for k, v in bases.items() if k == VANILLA}
    grown = {
        lane_name(method, point): at(base, point)
        for point in points
        for method, base in bases.items()
        if method != VANILLA
    }
    return Part("" if key is None else f"temperature={key}/", points, plain | grown)


def lane_name(method: str, point: Point) -> str:
    return f"{method} at {told(point)}"
