"""What a visitor's page holds, and the events that open a run on it.

The selection is none of that: it lives in the browser.
"""

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import gradio as gr

from components.elements.facts import Facts, fact_list
from components.library import BESIDE, Library, whole, with_lanes
from components.panels.lanes import Lanes, choice
from components.panels.opening import Files, Own, besides, choices, kept, parts, read
from components.panels.panel import Panel
from components.selection import Comparison
from components.words import Phrase, Words

CALM = {"show_progress": "hidden", "api_visibility": "private"}
TROUBLE = (LookupError, ValueError, OSError)
INSTEAD = Phrase("{problem} Here is another run.")
Updates = dict[Any, Any]  # values by component


class Stage(NamedTuple):
    """The page's state and its parts. States belong to one visitor."""

    key: gr.State  # of the comparison on the page
    own: gr.State  # what the visitor ran or opened
    picker: gr.Dropdown
    notice: Facts
    files: Files
    lanes: Lanes
    panels: tuple[Panel, ...]
    library: Library
    say: Words

    @property
    def outputs(self) -> list:
        """What opening a run changes."""
        bars = [self.key, self.own, self.picker, self.files.beside, self.lanes.shown, self.notice]
        return [*bars, *(part for panel in self.panels for part in panel.outputs)]

    def opened(self, key: str, own: tuple[Own, ...], notice: str = "") -> Updates:
        """A run comes onto the page. Raises what `Library.find` raises."""
        every = self.library.find(whole(key))
        if key == every.key and every.usual != tuple(every.lanes):
            key = with_lanes(key, every.usual)
        some = self.library.find(key)
        updates = {self.key: some.key, self.own: own, self.notice: fact_list("", (), notice)}
        for panel in self.panels:
            updates |= dict(zip(panel.outputs, panel.opened(some), strict=True))
        return updates | self._bars(every, some, own)

    def _bars(self, every: Comparison, some: Comparison, own: tuple[Own, ...]) -> Updates:
        first, other = parts(some.key)
        runs, say = self.library.runs, self.say
        return {
            self.picker: gr.update(choices=choices(runs, own, say), value=first),
            self.files.beside: gr.update(choices=besides(runs, own, first, say), value=other),
            self.lanes.shown: gr.update(**choice(every, some, say)),
        }

    def tried(self, key: str, now: str, own: tuple[Own, ...]) -> Updates:
        """Like `opened`; what cannot be opened is said in a line, and the page stays as it is."""
        try:
            return self.opened(key, own)
        except TROUBLE as error:
            warn(self.line(error))
        first, other = parts(now)
        return {self.picker: gr.update(value=first or None), self.files.beside: other}

    def added(self, comparison: Comparison, own: tuple[Own, ...]) -> Updates:
        """Puts a comparison on the shelf and on the page."""
        put = self.library.shelf.put(comparison)
        return self.opened(put.key, kept(own, put))

    def line(self, error: Exception) -> str:
        text = str(error.args[0]) if isinstance(error, LookupError) else str(error)
        return self.say(text.splitlines()[0])


def warn(line: str) -> None:
    """Gradio draws a warning as HTML, and a file's name or text may be in this line."""
    gr.Warning(escape(line))


def wire_opening(stage: Stage) -> None:
    """The pickers and the choice of lanes; a trace file of the visitor's own."""
    asked = [stage.key, stage.own]
    for part, handler in (
        (stage.picker, picked),
        (stage.files.beside, put_beside),
        (stage.lanes.shown, shown),
    ):
        part.input(handler(stage), [part, *asked], stage.outputs, **CALM)
    upload = stage.files.upload
    upload.upload(uploaded(stage), [upload, stage.own], stage.outputs, **CALM)


def picked(stage: Stage) -> Callable[..., Updates]:
    def pick(key: str, now: str, own: tuple[Own, ...]) -> Updates:
        return stage.tried(key, now, own)

    return pick


def put_beside(stage: Stage) -> Callable[..., Updates]:
    def put(other: str, now: str, own: tuple[Own, ...]) -> Updates:
        first, before = parts(now)
        if other == before:
            return {stage.own: own}
        return stage.tried(f"{first}{BESIDE}{other}" if other else first, now, own)

    return put


def shown(stage: Stage) -> Callable[..., Updates]:
    def show(names: list[str], now: str, own: tuple[Own, ...]) -> Updates:
        if not names:
            warn(stage.say("At least one lane must be shown."))
        return stage.tried(with_lanes(now, names) if names else now, now, own)

    return show


def uploaded(stage: Stage) -> Callable[..., Updates]:
    def upload(path: str, own: tuple[Own, ...]) -> Updates:
        comparison, problem = read(path)
        if comparison is None:
            warn(stage.say(problem))
            return {stage.own: own}
        return stage.added(comparison, own)

    return upload


def wire_address(stage: Stage, page: gr.Blocks, first: str) -> None:
    """The address may name a run: `?trace=…`."""

    def arrive(own: tuple[Own, ...], request: gr.Request) -> Updates:
        key = request.query_params.get("trace", "")
        if key in ("", first):
            return {stage.own: own}
        try:
            return stage.opened(key, own)
        except TROUBLE as error:
            problem = stage.line(error)
            notice = stage.say(INSTEAD, problem=problem) if first else problem
            return {stage.notice: fact_list("", (), notice)}

    page.load(arrive, stage.own, stage.outputs, **CALM)
