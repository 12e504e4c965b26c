"""The ranges that the figures of every real run lie in. A file may claim others."""

from collections.abc import Iterator
from typing import NamedTuple

from eagley_core.trace import Node, Prediction, Step, Trace

ONE = 1 + 1e-6  # a probability, rounded
MANY = 1e9
LARGE = 1e30  # finite, and far from where arithmetic ends


class Figure(NamedTuple):
    """A number that was read, and where it has to lie."""

    name: str
    value: float | None
    low: float
    high: float

    @property
    def fits(self) -> bool:
        return self.value is None or self.low <= self.value <= self.high


def check_ranges(trace: Trace) -> None:
    """Raise ValueError that names the first figure of a trace that no run can have."""
    _check("the run", iter([Figure("turn", trace.turn, 0, MANY)]))
    for step in trace.steps:
        _check(f"step {step.index}", _step(step))
        _check(f"step {step.index}, root", _prediction(step.after_root))
        for index, node in enumerate(step.nodes):
            _check(f"step {step.index}, node {index}", _node(node))


def _check(place: str, figures: Iterator[Figure]) -> None:
    for name, value, low, high in (found for found in figures if not found.fits):
        raise ValueError(f"{place}: {name} is {value}, not from {low:g} to {high:g}")


def _step(step: Step) -> Iterator[Figure]:
    for name in ("position", "rows", "emitted", "draft_passes", "store_bytes"):
        yield Figure(name, getattr(step, name), 0, LARGE if name == "store_bytes" else MANY)
    yield Figure("started", step.started, 0, MANY)
    for phase in ("draft", "verify", "accept", "commit"):
        yield Figure(f"{phase}_seconds", getattr(step, f"{phase}_seconds"), 0, MANY)
    if step.estimate:
        yield Figure("estimated tokens", step.estimate.tokens, 0, MANY)
        yield Figure("estimated draft_seconds", step.estimate.draft_seconds, 0, MANY)
        yield Figure("estimated verify_seconds", step.estimate.verify_seconds, 0, MANY)


def _node(node: Node) -> Iterator[Figure]:
    for name in ("draft_probability", "probability", "raw_probability", "value", "draw"):
        yield Figure(name, getattr(node, name), 0, ONE)
    for name in ("score", "compared", "threshold"):
        yield Figure(name, getattr(node, name), -LARGE, LARGE)
    yield Figure("rank", node.rank, 0, MANY)
    yield from _prediction(node.after)


def _prediction(prediction: Prediction) -> Iterator[Figure]:
    yield Figure("number of likeliest tokens", len(prediction.top), 1, MANY)
    yield Figure("entropy", prediction.entropy, -1e-3, MANY)
    yield Figure("margin", prediction.margin, -LARGE, LARGE)
    yield Figure("logit", prediction.logit, -LARGE, LARGE)
    for candidate in prediction.top:
        yield Figure("likeliest token's probability", candidate.probability, 0, ONE)
