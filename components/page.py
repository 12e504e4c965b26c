"""The whole page, once per language: panels laid out, and the events that open a run on them."""

import os
from pathlib import Path

import gradio as gr

from components.api import add_api, mcp_option
from components.elements.copylink import CopyLink
from components.elements.facts import Facts, fact_list
from components.elements.help import Help
from components.elements.language import Language
from components.elements.viewer import serve_files
from components.library import Library
from components.live import Live
from components.live_wiring import wire_live
from components.panels import (
    charts,
    claims,
    lanes,
    live,
    machines,
    opening,
    serving,
    steps,
    sweeps,
    theory,
    tour,
    trees,
)
from components.runs import recorded
from components.saving import save_function
from components.selection import Comparison
from components.serving import server_functions
from components.shelf import Shelf
from components.stage import TROUBLE, Stage, wire_address, wire_opening
from components.words import ENGLISH, Phrase, Words, words

TITLE = "EAGLEY Explorer"
TAGLINE = Phrase(
    "A small draft guesses several tokens at once, a large target checks them in one pass, and "
    "EAGLEY uses again what was rejected. Watch it happen, step by step."
)
NO_RUNS = Phrase("No recorded run was found. Run a prompt of your own, or open a trace file.")


def build_page(runs_dir: Path, engine: Live | None) -> gr.Blocks:
    """The first recorded run is part of the page, so it shows before any event has run."""
    serve_files(runs_dir)
    library = Library(recorded(runs_dir), Shelf())
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        _lay_out(library, engine, page, ENGLISH)
        add_api(library, engine)
    with page.route("中文", "/zh", show_in_navbar=False):
        _lay_out(library, engine, page, words("zh"))
    return page


def _lay_out(library: Library, engine: Live | None, page: gr.Blocks, say: Words) -> None:
    first, problem = _first(library, say)
    key, own = gr.State(first.key if first else ""), gr.State(())
    picker = _masthead(library, first, say)
    notice = Facts(fact_list("", (), ""), elem_id="notice")
    about = opening.build_about(first, problem, say)
    with gr.Row(elem_classes="drawers"):
        drawer = live.build(engine, is_open=first is None, say=say)
        files = opening.build_files(library.runs, first, save_function(library, say), say)
    rows = lanes.build(first, say)
    bar = steps.build(first, server_functions(library, say), say)
    panels = (bar, about, rows.panel, trees.build(first, say))
    with gr.Tabs(elem_id="tabs"):
        charts.build(say)
        with gr.Tab(say("Theory")):
            theory.build(say)
        with gr.Tab(say("Serving")):
            serving.build(say)
        with gr.Tab(say("Sweeps")):
            sweeps.build(say)
        with gr.Tab(say("Claims")):
            claims.build(say)
    machines.build(os.environ.get("SPACE_ID"), bool(mcp_option()), say)
    Help(say=say)
    stage = Stage(key, own, picker, notice, files, rows, panels, library, say)
    wire_opening(stage)
    wire_address(stage, page, first.key if first else "")
    wire_live(stage, drawer, engine, page)


def _masthead(library: Library, first: Comparison | None, say: Words) -> gr.Dropdown:
    with gr.Row(elem_id="masthead"):
        gr.HTML(f"<h1>{TITLE}</h1>", elem_id="brand", scale=0, min_width=220)
        picker = opening.build_picker(library.runs, first, say)
        tour.build(say)
        CopyLink(elem_id="copylink", scale=0, min_width=120, say=say)
        Language(language=say.language, elem_id="language", scale=0, min_width=70)
    gr.HTML(f"<p>{say(TAGLINE)}</p>", elem_id="tagline")
    return picker


def _first(library: Library, say: Words) -> tuple[Comparison | None, str]:
    """The first recorded run, or none and a line that says why."""
    if not library.runs:
        return None, say(NO_RUNS)
    try:
        return library.find(library.runs[0].slug), ""
    except TROUBLE as error:
        return None, str(error)
