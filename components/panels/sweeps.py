"""Results of sweeps as heatmaps: shipped ones, and files that a visitor opens.

`build(say)` inside a `gr.Tab` lays out everything. It depends on nothing that is selected.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from components.claims.results import RESULTS
from components.elements.table import Table
from components.elements.viewer import Viewer
from components.figures.sweep import (
    AXES,
    COLOURS,
    LENGTH,
    View,
    measured,
    methods,
    spelt,
    sweep_map,
)
from components.plain_table import plain_table
from components.sweep_tables import sweep_table
from components.theme import LANE_LABELS
from components.words import ENGLISH, Phrase, Words
from eagley_core.sweep_result import read_sweep_result

PATTERN = "sweep-*.json"
SHOWN = ("axes", "points")  # of a result: rows stay in the file
NONE = "–"
INTRO = Phrase(
    "A sweep is a bench over a grid of settings. Every cell holds the median over the prompts; its "
    "95 % interval is in the hover. Make one with: "
    "python -m eagley_core bench --sweep assets/sweep.toml"
)


class Cut(NamedTuple):
    """What the visitor has chosen."""

    x: str
    y: str
    method: str
    colour: str
    at: str  # a name of `places`


def build(say: Words = ENGLISH, folder: Path = RESULTS) -> None:
    """A file, two axes and a figure to choose; the heatmap below."""
    files = sorted(folder.glob(PATTERN))
    first = read(files[0]) if files else None
    cut = opening(first, say) if first else None
    gr.HTML(f"<p>{say(INTRO)}</p>", elem_classes="hint")
    result = gr.State(first)
    with gr.Row(elem_classes="controls"):
        names = [(file.stem, file.name) for file in files]
        value = files[0].name if files else None
        shipped = gr.Dropdown(names, value=value, label=say("Sweep"), visible=bool(files))
        upload = gr.UploadButton(say("Open a sweep"), file_types=[".json"], size="sm", scale=0)
    with gr.Row(elem_classes="controls"):
        boxes = [_box(name, first, cut, say) for name in Cut._fields]
    trouble = gr.Markdown("", visible=False)
    viewer = Viewer(drawn(first, cut, say) if first else None, elem_id="sweep", say=say)
    table = Table(tabulated(first, say) if first else None, say=say)
    outputs = [result, trouble, *boxes, viewer, table]

    def open_shipped(name: str) -> list:
        return _opened(folder / Path(name).name, say)

    shipped.input(open_shipped, shipped, outputs, api_visibility="private")
    upload.upload(lambda path: _opened(path, say), upload, outputs, api_visibility="private")
    for box in boxes:
        box.input(
            lambda found, *chosen: _redrawn(found, Cut(*chosen), say),
            [result, *boxes],
            [boxes[-1], viewer],
            api_visibility="private",
        )


def read(path: str | Path) -> dict[str, Any]:
    """What is shown of a file. Raises ValueError as `read_sweep_result` does."""
    found = read_sweep_result(path)
    return {name: found[name] for name in SHOWN}


def opening(result: Mapping[str, Any], say: Words) -> Cut:
    """The first cut of a result: its first two axes, and the first figure that it has."""
    x, y = [*result["axes"], NONE][:2]
    method, points = methods(result)[-1], result["points"]
    known = [c for c in COLOURS if any(measured(p, method, c)["median"] for p in points)]
    return Cut(x, y, method, [*known, LENGTH][0], next(iter(places(result, x, y, say))))


def places(result: Mapping[str, Any], x: str, y: str, say: Words) -> dict[str, dict[str, Any]]:
    """Every choice of a value for the axes that are not drawn, by name."""
    others = {name: values for name, values in result["axes"].items() if name not in (x, y)}
    cuts = [dict(zip(others, at, strict=True)) for at in product(*others.values())]
    return {_told(at, say): at for at in cuts}


def _told(at: Mapping[str, Any], say: Words) -> str:
    return ", ".join(f"{say(AXES[k])} {spelt(v, say)}" for k, v in at.items()) or NONE


def drawn(result: Mapping[str, Any], cut: Cut, say: Words):
    """The heatmap of a cut."""
    at = places(result, cut.x, cut.y, say).get(cut.at, {})
    y = None if cut.y in (NONE, cut.x) else cut.y
    return sweep_map(result, View(cut.x, y, cut.method, cut.colour, at), say)


def tabulated(result: Mapping[str, Any], say: Words) -> dict:
    """All places, for the table."""
    return plain_table(sweep_table(result, say))


def choices(name: str, result: Mapping[str, Any], cut: Cut, say: Words) -> list[tuple[str, str]]:
    """What a box offers: shown text and value."""
    axes = [(say(AXES[axis]), axis) for axis in result["axes"]]
    if name in ("x", "y"):
        return axes + ([(NONE, NONE)] if name == "y" else [])
    if name == "method":
        return [(LANE_LABELS[method], method) for method in methods(result)]
    if name == "colour":
        return [(say(text), colour) for colour, text in COLOURS.items()]
    return [(place, place) for place in places(result, cut.x, cut.y, say)]


def _box(name: str, result: Mapping[str, Any] | None, cut: Cut | None, say: Words) -> gr.Dropdown:
    labels = {
        "x": say("Across"),
        "y": say("Up"),
        "method": say("Lane"),
        "colour": say("Colour"),
        "at": say("At"),
    }
    offered = choices(name, result, cut, say) if result else []
    value = getattr(cut, name) if cut else None
    # A value of the choices before is no error: `_redrawn` knows what to do with it.
    looks = {"min_width": 140, "allow_custom_value": True, "visible": result is not None}
    return gr.Dropdown(offered, value=value, label=labels[name], **looks)


def _opened(path: str | Path, say: Words) -> list:
    """Values for the state, the line of trouble, the boxes, the viewer and the table."""
    try:
        result = read(path)
        cut = opening(result, say)
        figure = drawn(result, cut, say)
    except (ValueError, OSError, KeyError) as error:
        kept = [gr.skip() for _ in (*Cut._fields, "viewer", "table")]
        return [gr.skip(), gr.Markdown(str(error), visible=True), *kept]
    boxes = [
        gr.Dropdown(choices(name, result, cut, say), value=getattr(cut, name), visible=True)
        for name in Cut._fields
    ]
    return [result, gr.Markdown("", visible=False), *boxes, figure, tabulated(result, say)]


def _redrawn(result: Mapping[str, Any] | None, cut: Cut, say: Words) -> tuple:
    """The places of other axes are others now; the first is taken where the old one is gone."""
    if result is None or not _is_offered(result, cut, say):
        return gr.skip(), gr.skip()
    offered = choices("at", result, cut, say)
    if cut.at not in dict(offered):
        cut = cut._replace(at=offered[0][1])
    return gr.Dropdown(offered, value=cut.at), drawn(result, cut, say)


def _is_offered(result: Mapping[str, Any], cut: Cut, say: Words) -> bool:
    """Whether a choice was made; anything can be typed into a box."""
    names = ("x", "y", "method", "colour")
    offered = {name: [value for _, value in choices(name, result, cut, say)] for name in names}
    return all(getattr(cut, name) in values for name, values in offered.items())
