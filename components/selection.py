"""The runs of one prompt side by side, and the places of their trees.

What is selected is known to the browser alone: `assets/store.js`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from eagley_core.config import Method
from eagley_core.trace import Step, Trace

ROOT = -1
USUAL = 3  # lanes side by side
TREE_METHODS: tuple[Method, ...] = ("eagle", "eagley")


Lane = str  # a run's name in its comparison: its method, or the method and a number


@dataclass(frozen=True, eq=False)  # one per opened file or run: known by identity
class Comparison:
    """The runs of one prompt, one per lane."""

    name: str
    traces: tuple[Trace, ...]
    path: Path | None = None  # the file that it was read from
    key: str = ""  # what the browser asks for it by
    names: tuple[Lane, ...] = ()  # of the lanes; without them, the methods give names

    def __deepcopy__(self, memo: dict) -> "Comparison":
        return self  # immutable, and shared between visitors

    @cached_property
    def lanes(self) -> dict[Lane, Trace]:
        return dict(zip(self.names or lane_names(self.traces), self.traces, strict=True))

    @cached_property
    def length(self) -> int:
        """Tokens of the longest output."""
        return max(len(trace.output_ids) for trace in self.traces)

    @property
    def reference(self) -> Trace:
        return self.lanes.get("vanilla", self.traces[0])

    @cached_property
    def trees(self) -> tuple[Lane | None, Lane | None]:
        """The two lanes whose trees stand side by side: the last two that have trees.

        A lone EAGLE stands on the left and any other lone lane on the right.
        """
        found = [name for name, trace in self.lanes.items() if trace.config.method != "vanilla"]
        if len(found) == 1 and self.lanes[found[0]].config.method == "eagle":
            return found[0], None
        left, right = ([None, None] + found)[-2:]
        return left, right

    @cached_property
    def usual(self) -> tuple[Lane, ...]:
        """The lanes to show first: all of up to three, else a vanilla one and the two trees."""
        if len(self.lanes) <= USUAL:
            return tuple(self.lanes)
        wanted = {"vanilla", *self.trees}
        return tuple(name for name in self.lanes if name in wanted)

    def only(self, names: Iterable[Lane]) -> "Comparison":
        """Some of the lanes, in their order here. Raises ValueError where none is left."""
        wanted = set(names)
        kept = {name: trace for name, trace in self.lanes.items() if name in wanted}
        if not kept:
            raise ValueError(f"the run has the lanes {', '.join(self.lanes)} and no other")
        return replace(self, traces=tuple(kept.values()), names=tuple(kept))


def lane_names(traces: Iterable[Trace]) -> tuple[Lane, ...]:
    """The method of each run; the second run of a method is `eagley-2`, and so on."""
    seen: Counter[str] = Counter()
    names = []
    for trace in traces:
        method = trace.config.method
        seen[method] += 1
        names.append(method if seen[method] == 1 else f"{method}-{seen[method]}")
    return tuple(names)


class Place(NamedTuple):
    """A node of a step's tree, its root or its bonus."""

    step: Step
    node: int  # ROOT, an index in the step's nodes, or len(nodes) for the bonus


def parent(step: Step, node: int) -> int:
    """The parent of a node or of the bonus."""
    if node < len(step.nodes):
        return step.nodes[node].parent
    return step.accepted[-1] if step.accepted else ROOT


def starts(trace: Trace) -> tuple[int, ...]:
    """For each step, the output index of its first token."""
    return tuple(accumulate((step.emitted for step in trace.steps[:-1]), initial=0))


class Opening(NamedTuple):
    """What is selected first."""

    position: int  # index in the output
    method: Lane  # the lane whose steps the keys walk


def opening(comparison: Comparison) -> Opening:
    """A step worth seeing first: the one that won most tokens, reused ones before others."""
    left, right = comparison.trees
    lane = right or left or next(iter(comparison.lanes))
    trace = comparison.lanes[lane]
    best = max(trace.steps, key=lambda step: (_has_reused(step), step.emitted, -step.index))
    return Opening(starts(trace)[best.index], lane)


def _has_reused(step: Step) -> bool:
    return any(step.nodes[node].source != "draft" for node in step.accepted)
