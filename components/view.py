"""What a comparison is to the browser: lanes, and which step and node gave each output token."""

from typing import Any

from components.difference import divergences
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane, opening, starts
from components.stations import stations
from components.words import ENGLISH, Words
from eagley_core.trace import Trace


def view(comparison: Comparison, say: Words = ENGLISH) -> dict[str, Any]:
    """The comparison as `eagley.open` takes it, JSON.

    Of each lane: `starts`, the output index of each step's first token; `nodes`, per output token,
    its node in that step, len(nodes) for the bonus; `ends`, seconds at the end of each step.
    `trees`: the lanes on the left and on the right, or null. `tour`: see `stations`.
    """
    labels = lane_labels(comparison, say)
    first = opening(comparison)
    return {
        "key": comparison.key,
        "name": say(comparison.name),
        "length": comparison.length,
        "opening": {"position": first.position, "method": first.method},
        "trees": list(comparison.trees),
        "lanes": [_lane(name, labels[name], trace) for name, trace in comparison.lanes.items()],
        "divergences": _divergences(comparison),
        "tour": stations(comparison, say),
    }


def _lane(name: Lane, label: str, trace: Trace) -> dict[str, Any]:
    places = ((trace.steps[token.step], token.node) for token in trace.emitted)
    return {
        "method": name,
        "label": label,
        "length": len(trace.output_ids),
        "starts": list(starts(trace)),
        "nodes": [len(step.nodes) if node is None else node for step, node in places],
        "ends": [round(step.started + step.seconds, 6) for step in trace.steps],
        "tree": trace.config.method != "vanilla",
    }


def _divergences(comparison: Comparison) -> list[int]:
    left, right = comparison.trees
    if left is None or right is None:
        return []
    return list(divergences(comparison.lanes[left], comparison.lanes[right]))
