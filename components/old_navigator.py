"""The bar that moves the selection: slider, steps of each lane, keys."""

from typing import ClassVar

from components.element import Element
from components.labels import short
from components.selection import TREE_METHODS, Comparison, Selection, place, starts


class Navigator(Element):
    """Value: `navigation(…)`; `at`: `standing(…)`.

    The browser moves first and then reports where it is, so that held keys never lag.
    Event `pick`: `position` and `method`.
    """

    template = "<div class='navigator' role='group' aria-label='Step through the run'></div>"
    script = "old_navigator"
    defaults: ClassVar = {"at": {}}


def navigation(comparison: Comparison) -> dict:
    """What can be stepped through: the output, and each lane's steps by their first token."""
    lanes = [comparison.lanes[m] for m in TREE_METHODS if m in comparison.lanes]
    return {
        "length": comparison.length,
        "lanes": [
            {
                "method": trace.config.method,
                "label": trace.label,
                "starts": list(starts(trace)),
                "length": len(trace.output_ids),
            }
            for trace in lanes or comparison.traces[:1]
        ],
    }


def standing(comparison: Comparison, selection: Selection) -> dict:
    """Where the selection is, also in words."""
    steps = [
        f"{trace.label} step {here.step.index} of {len(trace.decode_steps)}"
        for trace in comparison.traces
        if trace.config.method != "vanilla" and (here := place(trace, selection))
    ]
    pieces = next(t.pieces for t in comparison.traces if len(t.pieces) == comparison.length)
    token = short(pieces[selection.position])
    return {
        "position": selection.position,
        "method": selection.method,
        "token": token,
        "steps": " · ".join(steps),
    }
