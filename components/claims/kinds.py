"""What a claim of the seed is on the page: its words, what was measured, and the verdict."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import plotly.graph_objects as go

from components.claims.results import Result
from components.claims.rulings import Ruling
from components.words import ENGLISH, Words
from eagley_core.statistics import Interval


class Finding(NamedTuple):
    """One measured figure in words, and the result file that it comes from."""

    label: str
    value: str
    source: str


class Table(NamedTuple):
    """A table; what a cell quotes of the seed is in a column that says so."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...] = ()  # the result files of its measured cells


@dataclass(frozen=True)
class Claim:
    """A statement of the seed beside its measurement."""

    key: str
    section: str
    title: str
    seed: str  # what the seed says, with its figures
    ruling: Ruling
    command: str  # that makes the results anew
    findings: tuple[Finding, ...] = ()
    note: str = ""
    table: Table | None = None
    figure: go.Figure | None = field(default=None, compare=False)

    @property
    def sources(self) -> tuple[str, ...]:
        """The result files that are quoted."""
        named = [found.source for found in self.findings]
        named += self.table.sources if self.table else ()
        return tuple(dict.fromkeys(named))


def found(label: str, value: str | None, source: Result | None) -> tuple[Finding, ...]:
    """One finding, or none where it was not measured."""
    return () if value is None or source is None else (Finding(label, value, source.name),)


def number(interval: Interval, say: Words = ENGLISH, digits: int = 2) -> str | None:
    """A median with its interval."""
    return _told(interval, say, lambda value: f"{value:.{digits}f}")


def share(interval: Interval, say: Words = ENGLISH) -> str | None:
    """The same in per cent."""
    return _told(interval, say, percent)


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _told(interval: Interval, say: Words, form: Any) -> str | None:
    if interval.median is None or interval.low is None or interval.high is None:
        return None
    middle, low, high = map(form, interval)
    return say("{middle} ({low} to {high})", middle=middle, low=low, high=high)


def counted(hits: int, tested: int, say: Words = ENGLISH) -> str:
    return say("{hits} of {tested}", hits=hits, tested=tested)


def read_interval(data: dict | None) -> Interval:
    """An interval as result files write it."""
    if not data:
        return Interval(None, None, None)
    return Interval(data.get("median", data.get("value")), data["low"], data["high"])
