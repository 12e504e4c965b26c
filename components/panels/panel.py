"""The shape that all panels share, so that one event can redraw any of them together."""

from collections.abc import Callable
from typing import NamedTuple

from gradio.components import Component

from components.selection import Comparison, Selection


class Source(NamedTuple):
    """A component that reports picks, and how one becomes a selection.

    `resolve` is called with the comparison, the present selection and the reported data.
    """

    component: Component
    resolve: Callable[[Comparison, Selection, dict], Selection]


class Panel(NamedTuple):
    """A laid-out panel.

    `opened` gives a value for each of `outputs` when a comparison is opened, `moved` for each of
    `moving` when the selection moves.
    """

    outputs: tuple[Component, ...]
    opened: Callable[[Comparison, Selection], tuple]
    moving: tuple[Component, ...]
    moved: Callable[[Comparison, Selection], tuple]
    sources: tuple[Source, ...]
    rule: Component | None = None  # where the visitor asks what another rule would have done
