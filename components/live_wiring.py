"""A live run's events: Run, Stop, and leaving the page."""

from collections.abc import Callable, Iterator

import gradio as gr

from components.legend import source_legend
from components.live import Live, Switches
from components.live_run import Frame, Settings, frames
from components.marks import expected
from components.meter import reading
from components.old_tokens import NOWHERE
from components.panels.lanes import METHODS, heading
from components.panels.live import LivePanel, blank, streamed_lane, why_off
from components.panels.opening import Own, kept
from components.selection import Comparison
from components.stage import CALM, Stage, offered

PRIVATE = {"api_visibility": "private"}


def wire_live(stage: Stage, drawer: LivePanel, engine: Live | None, page: gr.Blocks) -> None:
    """Run streams into the lanes; Stop ends it between two steps and keeps what there is."""
    switches, result = Switches(), gr.State(None)
    lanes = stage.panels[0].outputs
    running = drawer.run.click(
        streamer(drawer, lanes, (result, stage.bar.picker), (engine, switches)),
        [*drawer.inputs],
        [drawer.meter, drawer.run, drawer.stop, result, stage.bar.picker, *lanes],
        concurrency_limit=4,
        **CALM,
        **PRIVATE,
    )
    finished = running.then(
        finisher(stage),
        [result, stage.comparison, stage.own],
        [stage.own, stage.bar.picker, *stage.outputs],
        **CALM,
        **PRIVATE,
    )
    finished.then(offered, stage.comparison, stage.bar.save, **CALM, **PRIVATE)
    drawer.stop.click(stopper(switches), None, drawer.stop, queue=False, **PRIVATE)
    page.unload(leaver(switches))
    page.load(lambda: _state(engine), None, [drawer.meter, drawer.run], **CALM, **PRIVATE)


def _state(engine: Live | None) -> tuple:
    off = why_off(engine)
    return reading(off or ""), gr.update(interactive=not off)


def streamer(drawer: LivePanel, lanes: tuple, shown: tuple, source: tuple) -> Callable:
    """The Run button's handler: yields only the parts that changed.

    Until the run ends no other run can be picked: its lanes are being written.
    """
    (result, picker), (engine, switches) = shown, source
    *parts, keys = lanes  # text, numbers and heading of each lane; the key to the sources
    texts = dict(zip(METHODS, parts[::3], strict=True))
    heads = dict(zip(METHODS, parts[2::3], strict=True))

    def stream(request: gr.Request, *values) -> Iterator[dict]:
        settings = Settings(*values)
        switch = switches.fresh(request.session_hash)
        begun = _begun(drawer, settings, texts) | dict.fromkeys(parts[1::3])
        begun |= {heads[method]: heading(None, method) for method in METHODS}
        begun |= {keys: source_legend(expected(settings.reuse))}
        yield begun | {result: None, picker: gr.update(interactive=False)}
        try:
            for frame in frames(engine, settings, switch.is_set):
                ended = {picker: gr.update(interactive=True)} if frame.method is None else {}
                yield _changed(frame, drawer, texts) | {result: frame.result} | ended
        finally:
            switches.stop(request.session_hash)

    return stream


def _begun(drawer: LivePanel, settings: Settings, texts: dict) -> dict:
    notes = blank(settings)
    clear = {texts[m]: gr.update(value=notes[m], at=NOWHERE) for m in METHODS}
    buttons = {drawer.run: gr.update(interactive=False), drawer.stop: gr.update(interactive=True)}
    return clear | buttons | {drawer.meter: reading("Starting", 0.0)}


def _changed(frame: Frame, drawer: LivePanel, texts: dict) -> dict:
    if frame.method is None:
        buttons = {
            drawer.run: gr.update(interactive=True),
            drawer.stop: gr.update(interactive=False),
        }
        return buttons | {drawer.meter: frame.meter}
    return {drawer.meter: frame.meter, texts[frame.method]: streamed_lane(frame)}


def finisher(stage: Stage) -> Callable:
    """Shows what the run gave; when it gave nothing, what was there before."""

    def finish(result: Comparison | None, before: Comparison | None, own: tuple[Own, ...]) -> list:
        if result is None:
            return [gr.skip(), gr.skip(), *stage.shown(before)]
        mine = kept(own, result)
        return [mine, stage.listed(mine), *stage.shown(result)]

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
