"""What a server of many sequences would gain: sliders over a model, beside the theory.

`build(say)` inside a `gr.Tab` lays out everything. It depends on nothing that is selected.
"""

from pathlib import Path
from typing import NamedTuple

import gradio as gr

from components import theme
from components.claims.results import RESULTS, read_results
from components.elements.table import Table
from components.elements.viewer import Viewer
from components.figures.serving import Server, serving_curves, serving_map
from components.plain_table import plain_table
from components.sweep_tables import serving_table
from components.words import ENGLISH, Phrase, Words
from eagley_core.devices import COMPUTED, DEVICES, READ, reaching
from eagley_core.serving import SHAPES, Drafting
from eagley_core.serving_inputs import drafting_of

METHODS = ("eagle", "eagley")
INTRO = Phrase(
    "A model, not a measurement. A pass reads all weights and every cached row once, and computes "
    "every row; it takes the longer of the two. With many sequences at once the rows of their "
    "trees are no longer free. The accepted lengths are those of {file}, measured on its own small "
    "target; a larger one would have others. Peaks are the makers' figures; the sliders say what "
    "share of them is reached."
)


class Asked(NamedTuple):
    """Where the controls stand. context: as a power of two."""

    device: str
    model: str
    context: float
    method: str
    tokens: float
    rows: float
    read: float
    computed: float
    fixed: float  # milliseconds of every pass


def build(say: Words = ENGLISH, folder: Path = RESULTS) -> None:
    """The controls, then speed-up by batch, and by batch and context."""
    source, found = measured(folder)
    if not found:
        return
    asked = opening(found)
    gr.HTML(f"<p>{say(INTRO, file=source)}</p>", elem_classes="hint")
    with gr.Row(elem_classes="controls"):
        boxes = _boxes(asked, say)
    with gr.Row(elem_classes="controls"):
        sliders = _sliders(asked, say)
    curves, area, rows = drawn(asked, found, say)
    outputs = [
        Viewer(curves, elem_id="serving", say=say),
        Viewer(area, elem_id="serving-map", say=say),
        Table(rows, say=say),
    ]
    controls = [*boxes[:2], sliders[0], boxes[2], *sliders[1:]]

    def redraw(*values):
        return drawn(Asked(*values), found, say)

    def choose(method: str):
        return round(found[method].tokens, 2), round(found[method].rows, 1)

    for control in controls:
        moved = control.release if isinstance(control, gr.Slider) else control.input
        if control is boxes[2]:
            moved = moved(choose, control, sliders[1:3], api_visibility="private").then
        moved(redraw, controls, outputs, api_visibility="private")


def measured(folder: Path) -> tuple[str, dict[str, Drafting]]:
    """The shipped bench's name, and both methods' steps in it; nothing where there is none."""
    bench = read_results(folder).bench
    if bench is None:
        return "", {}
    return bench.name, {method: drafting_of(bench.data, method) for method in METHODS}


def opening(found: dict[str, Drafting]) -> Asked:
    device, model, method = "H100", "Llama-3.1-8B", METHODS[-1]
    start = found[method]
    tokens, rows = round(start.tokens, 2), round(start.rows, 1)
    return Asked(device, model, 11, method, tokens, rows, READ, COMPUTED, 0)


def drawn(asked: Asked, found: dict[str, Drafting], say: Words) -> tuple:
    """Two figures and a table. The sliders' method has the sliders' accepted length and rows."""
    device = reaching(DEVICES[asked.device], asked.read, asked.computed, asked.fixed / 1000)
    moved = found[asked.method]._replace(tokens=asked.tokens, rows=asked.rows)
    methods, server = found | {asked.method: moved}, Server(device, SHAPES[asked.model])
    at = (server, round(2**asked.context), methods, say)
    return serving_curves(*at), serving_map(server, moved, say), plain_table(serving_table(*at))


def _boxes(asked: Asked, say: Words) -> list[gr.Dropdown]:
    lanes = [(theme.LANE_LABELS[method], method) for method in METHODS]
    return [
        gr.Dropdown(list(DEVICES), value=asked.device, label=say("Device"), min_width=160),
        gr.Dropdown(list(SHAPES), value=asked.model, label=say("Served model"), min_width=160),
        gr.Dropdown(lanes, value=asked.method, label=say("Lane"), min_width=120),
    ]


def _sliders(asked: Asked, say: Words) -> list[gr.Slider]:
    def slider(low: float, high: float, step: float, value: float, label: str) -> gr.Slider:
        return gr.Slider(low, high, value, step=step, label=label, min_width=160)

    return [
        slider(8, 17, 1, asked.context, say("Cached positions, as a power of 2")),
        slider(1, 8, 0.01, asked.tokens, say("Tokens per step")),
        slider(1, 64, 0.1, asked.rows, say("Rows per step")),
        slider(0.1, 1, 0.05, asked.read, say("Share of the bandwidth")),
        slider(0.1, 1, 0.05, asked.computed, say("Share of the computing")),
        slider(0, 5, 0.1, asked.fixed, say("Milliseconds beside, per pass")),
    ]
