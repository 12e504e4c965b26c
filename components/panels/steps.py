"""The navigator bar."""

import gradio as gr

from components.old_navigator import Navigator, navigation, standing
from components.panels.panel import Panel, Source
from components.selection import Comparison, Selection, at_position


def build(comparison: Comparison | None, selection: Selection) -> Panel:
    """A bar that stays in sight while the panels scroll."""
    bar = Navigator(
        navigation(comparison) if comparison else None,
        at=standing(comparison, selection) if comparison else {},
        elem_id="navigator",
    )
    return Panel((bar,), opened, (bar,), moved, (Source(bar, picked),))


def opened(comparison: Comparison, selection: Selection) -> tuple:
    return (gr.update(value=navigation(comparison), at=standing(comparison, selection)),)


def moved(comparison: Comparison, selection: Selection) -> tuple:
    return (gr.update(at=standing(comparison, selection)),)


def picked(comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """The slider, a key or a step segment moved the selection."""
    trace = comparison.lanes.get(data["method"], comparison.reference)
    return at_position(selection, trace, min(int(data["position"]), comparison.length - 1))
