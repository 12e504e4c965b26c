"""The whole page: panels laid out, and one selection that moves them all."""

import os
from pathlib import Path

import gradio as gr

from components.api import add_api, mcp_option
from components.facts import Facts, fact_list
from components.live import Live
from components.live_wiring import wire_live
from components.panels import charts, lanes, live, machines, opening, steps, trees
from components.runs import recorded
from components.selection import Comparison, Selection
from components.selection import opening as opening_selection
from components.shelf import Shelf
from components.stage import Stage, wire_moves, wire_opening, wire_rule
from components.viewer import serve_files

TITLE = "EAGLEY Explorer"
TAGLINE = (
    "A small draft guesses several tokens at once, a large target checks them in one pass, and "
    "EAGLEY uses again what was rejected. Watch it happen, step by step."
)
NO_RUNS = "No recorded run was found. Run a prompt of your own, or open a trace file."


def build_page(runs_dir: Path, engine: Live | None) -> gr.Blocks:
    """The first recorded run is part of the page, so it shows before any event has run."""
    serve_files(runs_dir)
    runs = recorded(runs_dir)
    first, problem = opening.find(runs[0].label, runs, ()) if runs else (None, NO_RUNS)
    selection = opening_selection(first) if first else Selection()
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        states = (gr.State(first), gr.State(selection), gr.State(()))
        gr.HTML(f"<h1>{TITLE}</h1><p>{TAGLINE}</p>", elem_id="masthead")
        bar = opening.build(runs, first)
        drawer = live.build(engine, is_open=first is None)
        about = Facts(_about(first, problem), elem_id="about")
        panels = (lanes, steps, trees, charts)
        built = tuple(panel.build(first, selection) for panel in panels)
        stage = Stage(*states, bar, about, built, runs)
        wire_moves(stage)
        wire_rule(stage)
        wire_opening(stage)
        wire_live(stage, drawer, engine, page)
        add_api(runs, Shelf(), engine)
        machines.build(os.environ.get("SPACE_ID"), bool(mcp_option()))
    return page


def _about(comparison: Comparison | None, problem: str) -> dict:
    return opening.description(comparison) if comparison else fact_list("", (), problem)
