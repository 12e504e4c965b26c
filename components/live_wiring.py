"""A live run's events: Run, Stop, and leaving the page."""

from collections.abc import Callable, Iterator

import gradio as gr

from components.elements.meter import reading
from components.elements.tokens import empty
from components.legend import source_legend
from components.live import Live, Switches
from components.live_run import Frame, Settings, frames
from components.marks import expected
from components.panels.lanes import heading
from components.panels.live import LivePanel, blank, streamed_lane, why_off
from components.panels.opening import Own
from components.selection import Comparison
from components.stage import CALM, TROUBLE, Stage, Updates


def wire_live(stage: Stage, drawer: LivePanel, engine: Live | None, page: gr.Blocks) -> None:
    """Run streams into the lanes; Stop ends it between two steps and keeps what there is."""
    switches, result = Switches(), gr.State(None)
    parts = [part for lane in stage.lanes.lanes.values() for part in lane]
    buttons = [drawer.meter, drawer.run, drawer.stop]
    running = drawer.run.click(
        streamer(stage, drawer, result, (engine, switches)),
        [*drawer.inputs],
        [*buttons, result, stage.picker, stage.lanes.shown, stage.lanes.keys, *parts],
        concurrency_limit=4,
        **CALM,
    )
    running.then(finisher(stage), [result, stage.key, stage.own], stage.outputs, **CALM)
    drawer.stop.click(stopper(switches), None, drawer.stop, queue=False, api_visibility="private")
    page.unload(leaver(switches))
    page.load(lambda: _state(engine, stage), None, [drawer.meter, drawer.run], **CALM)


def _state(engine: Live | None, stage: Stage) -> tuple:
    off = why_off(engine, stage.say)
    return reading(off or ""), gr.update(interactive=not off)


def streamer(stage: Stage, drawer: LivePanel, result: gr.State, source: tuple) -> Callable:
    """The Run button's handler: yields only the parts that changed.

    Until the run ends no other run can be picked: its lanes are being written.
    """
    engine, switches = source

    def stream(request: gr.Request, *values) -> Iterator[Updates]:
        settings = Settings(*values)
        switch = switches.fresh(request.session_hash)
        yield _begun(stage, drawer, settings) | {result: None}
        try:
            for frame in frames(engine, settings, switch.is_set, stage.say):
                yield _changed(frame, stage, drawer) | {result: frame.result}
        finally:
            switches.stop(request.session_hash)

    return stream


def _begun(stage: Stage, drawer: LivePanel, settings: Settings) -> Updates:
    notes = blank(settings, stage.say)
    updates: Updates = {}
    for slot, lane in stage.lanes.lanes.items():
        updates |= {
            lane.head: heading(None, slot, stage.say),
            lane.tokens: notes.get(slot, empty("")),
            lane.figures: None,
        }
    return updates | {
        stage.lanes.keys: source_legend(expected(settings.reuse), stage.say),
        drawer.run: gr.update(interactive=False),
        drawer.stop: gr.update(interactive=True),
        drawer.meter: reading(stage.say("Starting"), 0.0),
        **_choosing(stage, False),
    }


def _choosing(stage: Stage, is_allowed: bool) -> Updates:
    return {
        stage.picker: gr.update(interactive=is_allowed),
        stage.lanes.shown: gr.update(interactive=is_allowed),
    }


def _changed(frame: Frame, stage: Stage, drawer: LivePanel) -> Updates:
    if frame.lane is not None:
        tokens = stage.lanes.lanes[frame.lane].tokens
        return {drawer.meter: frame.meter, tokens: streamed_lane(frame, stage.say)}
    return {
        drawer.meter: frame.meter,
        drawer.run: gr.update(interactive=True),
        drawer.stop: gr.update(interactive=False),
        **_choosing(stage, True),
    }


def finisher(stage: Stage) -> Callable:
    """Shows what the run gave; when it gave nothing, what was there before."""

    def finish(result: Comparison | None, before: str, own: tuple[Own, ...]) -> Updates:
        if result is not None:
            return stage.added(result, own)
        try:
            return stage.opened(before, own)
        except TROUBLE:  # there was nothing before
            return {stage.own: own}

    return finish


def stopper(switches: Switches) -> Callable:
    """The Stop button's handler."""

    def stop(request: gr.Request) -> dict:
        switches.stop(request.session_hash)
        return gr.update(interactive=False)

    return stop


def leaver(switches: Switches) -> Callable:
    """Nobody reads a run whose page was closed."""

    def leave(request: gr.Request) -> None:
        switches.stop(request.session_hash)

    return leave
