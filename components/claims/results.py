"""The results that the project ships, by what they measure."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from components.elements.element import ASSETS
from eagley_core.statistics import Interval, median_interval

Row = dict[str, Any]
RESULTS = ASSETS / "results"
NAMES = {  # the last by name is taken where several match
    "bench": "spec-bench-*.json",
    "ablation": "ablation-*.json",
    "rules": "rules.json",
    "kv": "kv.json",
    "trees": "tree-sizes*.json",
    "gsm8k": "gsm8k-*.json",
    "mmlu": "mmlu-*.json",
    "humaneval": "humaneval-*.json",
    "scenarios": "scenarios-*.json",
    "temperature": "sweep-temperature.json",
    "rule_speeds": "sweep-rules.json",
    "reuse_speeds": "sweep-reuse.json",
}


class Result(NamedTuple):
    """One result file, by its name."""

    name: str
    data: Row


class Results(NamedTuple):
    """What there is; None where nothing of a kind is shipped."""

    bench: Result | None = None
    ablation: Result | None = None
    rules: Result | None = None
    kv: Result | None = None
    trees: Result | None = None
    gsm8k: Result | None = None
    mmlu: Result | None = None
    humaneval: Result | None = None
    scenarios: Result | None = None  # prompts of the seed's three lengths
    temperature: Result | None = None  # a sweep above temperature 0, coupled and not
    rule_speeds: Result | None = None  # a sweep over acceptance rules
    reuse_speeds: Result | None = None  # a sweep over rows that are not the target's own
    peers: tuple[Result, ...] = ()  # benches with another program's lanes, each run twice
    drafts: tuple[Result, ...] = ()  # other kinds of draft
    others: tuple[Result, ...] = ()  # benches of other names

    def named(self) -> tuple[Result, ...]:
        """Every file that is known by what it measures."""
        return (*(one for one in self if isinstance(one, Result)), *self._several)

    @property
    def _several(self) -> tuple[Result, ...]:
        return (*self.peers, *self.drafts)


def read_results(folder: Path = RESULTS) -> Results:
    """Read a folder of results."""
    found = {kind: sorted(folder.glob(name))[-1:] for kind, name in NAMES.items()}
    several = {"peers": "peers-*.json", "drafts": "drafts-*.json"}
    many = {kind: tuple(map(_read, sorted(folder.glob(name)))) for kind, name in several.items()}
    one = {kind: _read(*files) for kind, files in found.items() if files}
    patterns = (*NAMES.values(), *several.values())
    rest = [file for file in sorted(folder.glob("*.json")) if not any(map(file.match, patterns))]
    others = tuple(filter(_is_bench, map(_read, rest)))
    return Results(**one, **many, others=others)


def _is_bench(result: Result) -> bool:
    return isinstance(result.data, dict) and {"methods", "rows"} <= result.data.keys()


def _read(path: Path) -> Result:
    return Result(path.name, json.loads(path.read_text("utf-8")))


def plain_lane(data: Row) -> str:
    """The faster of the two lanes of vanilla, which speed-ups are against."""
    return "vanilla-fast" if data["vanilla_used"] == "fast" else "vanilla"


def runs(data: Row, lane: str) -> list[Row]:
    """A lane's runs, in the order in which they were run."""
    return [row for row in data["rows"] if row["lane"] == lane]


def pairs(data: Row, lane: str, base: str) -> list[tuple[Row, Row]]:
    """The runs of two lanes on the same question, turn and repeat."""
    bases = {_place(row): row for row in runs(data, base)}
    own = runs(data, lane)
    return [(row, bases[_place(row)]) for row in own if _place(row) in bases]


def _place(row: Row) -> tuple:
    return row["question_id"], row.get("turn", 0), row["repeat"]


Figure = Callable[[Row], float | None]
"""From a run to one figure of it; None where the run has none."""


def per_run(data: Row, lane: str, figure: Figure) -> Interval:
    """The median of a figure over a lane's runs."""
    return median_interval(_known(map(figure, runs(data, lane))))


def ratios(found: Sequence[tuple[Row, Row]], figure: Figure) -> list[float]:
    """A figure of each run over that of the run that it is paired with."""
    both = [(figure(own), figure(base)) for own, base in found]
    return [own / base for own, base in both if own is not None and base]


def differences(found: Sequence[tuple[Row, Row]], figure: Figure) -> list[float]:
    """A figure of each run minus that of the run that it is paired with."""
    both = [(figure(own), figure(base)) for own, base in found]
    return [own - base for own, base in both if own is not None and base is not None]


def _known(values) -> list[float]:
    return [value for value in values if value is not None]


def speed(row: Row) -> float | None:
    return row["decode_tokens_per_second"]
