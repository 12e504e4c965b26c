"""One selection drives every panel: an output token, and where each lane got it from.

Lanes advance by different numbers of tokens per step, so they are locked by output position: each
shows the step of its own that emitted the selected token.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from eagley_core.config import Method
from eagley_core.rule import Rule
from eagley_core.trace import Step, Trace

ROOT = -1
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


@dataclass(frozen=True, slots=True)
class Selection:
    """What the visitor looks at."""

    position: int = 0  # index in the output
    method: Method = "eagley"  # the lane whose steps the keys walk
    node: int | None = None  # picked by hand in that lane's tree; None: the node behind the token
    rule: Rule | None = None  # what the trees are judged by instead of their runs' own rules


class Place(NamedTuple):
    """Where a lane's selected token came from."""

    step: Step
    node: int  # ROOT, an index in the step's nodes, or len(nodes) for the bonus


def place(trace: Trace, selection: Selection) -> Place | None:
    """The step and node of a lane that the selection points at; None past the lane's end."""
    if selection.position >= len(trace.emitted):
        return None
    token = trace.emitted[selection.position]
    step = trace.steps[token.step]
    node = len(step.nodes) if token.node is None else token.node
    if selection.node is not None and selection.method == trace.config.method:
        node = min(selection.node, len(step.nodes))
    return Place(step, node)


def parent(step: Step, node: int) -> int:
    """The parent of a node or of the bonus."""
    if node < len(step.nodes):
        return step.nodes[node].parent
    return step.accepted[-1] if step.accepted else ROOT


def starts(trace: Trace) -> tuple[int, ...]:
    """For each step, the output index of its first token."""
    return tuple(accumulate((step.emitted for step in trace.steps[:-1]), initial=0))


def span(trace: Trace, step: int) -> tuple[int, int]:
    """Output indices start..stop-1 came from this step."""
    start = starts(trace)[step]
    return start, start + trace.steps[step].emitted


def opening(comparison: Comparison) -> Selection:
    """A step worth seeing first: the one that won most tokens, reused ones before others."""
    method = next((m for m in reversed(TREE_METHODS) if m in comparison.lanes), "vanilla")
    trace = comparison.lanes.get(method, comparison.traces[0])
    best = max(trace.steps, key=lambda step: (_has_reused(step), step.emitted, -step.index))
    return at_step(Selection(method=method), trace, best.index)


def _has_reused(step: Step) -> bool:
    return any(step.nodes[node].source != "draft" for node in step.accepted)


def at_position(selection: Selection, trace: Trace, position: int) -> Selection:
    """A token was picked in a lane, or on the slider."""
    method = _walked(selection, trace)
    return replace(selection, position=max(position, 0), method=method, node=None)


def at_step(selection: Selection, trace: Trace, step: int, depth: int = 1) -> Selection:
    """A step was picked in a chart, perhaps at one depth of its tree."""
    start, stop = span(trace, min(max(step, 0), len(trace.steps) - 1))
    position = min(start + max(depth, 1), max(stop, start + 1)) - 1
    return at_position(selection, trace, min(position, len(trace.output_ids) - 1))


def at_node(selection: Selection, trace: Trace, node: int) -> Selection:
    """A node was picked in the tree that the lane shows now."""
    here = place(trace, selection)
    if here is None:
        return selection
    moved = at_step(selection, trace, here.step.index, _depth(here.step, node))
    return replace(moved, node=node)


def _depth(step: Step, node: int) -> int:
    if node == ROOT:
        return 1
    return step.nodes[node].depth if node < len(step.nodes) else len(step.accepted) + 1


def _walked(selection: Selection, trace: Trace) -> Method:
    """Keys keep walking a lane that has trees when a vanilla token is picked."""
    method = trace.config.method
    return method if method in TREE_METHODS else selection.method
