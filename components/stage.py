"""What a visitor's page holds, and the events that change it."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import gradio as gr

from components.facts import Facts
from components.offers import asked_rule
from components.panels.opening import (
    OWN,
    Opening,
    Own,
    choices,
    description,
    find,
    kept,
    read,
    saved,
)
from components.panels.panel import Panel, Source
from components.runs import Recorded
from components.selection import Comparison, Selection, opening

# Moves skip the queue. (With "always_last", Gradio answers a move with an older one's data.)
MOVE = {"queue": False, "trigger_mode": "multiple", "show_progress": "hidden"}
CALM = {"show_progress": "hidden"}


class Stage(NamedTuple):
    """The page's state and its parts. States belong to one visitor."""

    comparison: gr.State
    selection: gr.State
    own: gr.State
    bar: Opening
    about: Facts
    panels: tuple[Panel, ...]
    runs: tuple[Recorded, ...]

    @property
    def outputs(self) -> list:
        """What `shown` fills."""
        parts = [part for panel in self.panels for part in panel.outputs]
        return [self.comparison, self.selection, self.about, *parts]

    def shown(self, comparison: Comparison | None) -> list:
        """Everything that opening a comparison changes."""
        if comparison is None:
            return [gr.skip()] * len(self.outputs)
        selection = opening(comparison)
        parts = [part for panel in self.panels for part in panel.opened(comparison, selection)]
        return [comparison, selection, description(comparison), *parts]

    def listed(self, own: tuple[Own, ...]) -> dict:
        """The picker, standing on the visitor's newest comparison."""
        return gr.update(choices=choices(self.runs, own), value=f"{OWN}{own[-1].number}")


def wire_moves(stage: Stage) -> None:
    """Every source of picks moves the one selection, and with it every panel."""
    moving = [part for panel in stage.panels for part in panel.moving]
    for panel in stage.panels:
        for source in panel.sources:
            source.component.pick(
                mover(source, stage.panels),
                [stage.comparison, stage.selection],
                [stage.selection, *moving],
                api_visibility="private",
                **MOVE,
            )


def wire_rule(stage: Stage) -> None:
    """Another rule judges the trees of the panel that asks for it."""
    # In the queue, because Gradio shows warnings of nothing else.
    for panel in stage.panels:
        if panel.rule is not None:
            panel.rule.input(
                judge(panel),
                [stage.comparison, stage.selection, panel.rule],
                [stage.selection, *panel.moving],
                api_visibility="private",
                **CALM,
            )


def judge(panel: Panel) -> Callable:
    """Turns a rule's text into the new selection and what it changes; a bad one changes nothing."""

    def ask(comparison: Comparison | None, selection: Selection, text: str | None) -> list:
        try:
            chosen = replace(selection, rule=asked_rule(text))
        except ValueError as error:
            gr.Warning(str(error))
            comparison = None
        if comparison is None:
            return [gr.skip()] * (1 + len(panel.moving))
        return [chosen, *panel.moved(comparison, chosen)]

    return ask


def mover(source: Source, panels: tuple[Panel, ...]) -> Callable:
    """Turns a reported pick into the new selection and what it changes."""

    def move(comparison: Comparison | None, selection, event: gr.EventData) -> list:
        if comparison is None:
            return [gr.skip()] * (1 + sum(len(panel.moving) for panel in panels))
        chosen = source.resolve(comparison, selection, event._data)
        return [chosen, *(p for panel in panels for p in panel.moved(comparison, chosen))]

    return move


def wire_opening(stage: Stage) -> None:
    """The run picker, and trace files in and out."""

    def pick(key: str, own: tuple[Own, ...]) -> list:
        comparison, problem = find(key, stage.runs, own)
        _warn(problem)
        return stage.shown(comparison)

    def upload(path: str, own: tuple[Own, ...]) -> list:
        comparison, problem = read(path)
        _warn(problem)
        if comparison is None:
            return [gr.skip()] * (2 + len(stage.outputs))
        mine = kept(own, comparison)
        return [mine, stage.listed(mine), *stage.shown(comparison)]

    bar, private = stage.bar, {"api_visibility": "private"}
    picked = bar.picker.input(pick, [bar.picker, stage.own], stage.outputs, **CALM, **private)
    opened = bar.upload.upload(
        upload, [bar.upload, stage.own], [stage.own, bar.picker, *stage.outputs], **CALM, **private
    )
    for event in (picked, opened):
        event.then(offered, stage.comparison, bar.save, **CALM, **private)


def offered(comparison: Comparison | None) -> str | None:
    """The file behind the save button."""
    return None if comparison is None else saved(comparison)


def _warn(problem: str) -> None:
    if problem:
        gr.Warning(problem)
