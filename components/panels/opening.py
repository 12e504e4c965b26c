"""Which comparison is on the page: recorded runs, the visitor's own, and files."""

import tempfile
from pathlib import Path
from typing import NamedTuple

import gradio as gr

from components.facts import fact_list
from components.outcome import about
from components.runs import Recorded, opened, uploaded
from components.selection import Comparison
from eagley_core.trace_file import TraceError, save_traces

KEPT = 8  # of the visitor's own comparisons
OWN = "own:"  # their keys in the picker


class Own(NamedTuple):
    """A comparison that the visitor ran or opened."""

    number: int
    comparison: Comparison


class Opening(NamedTuple):
    picker: gr.Dropdown
    upload: gr.UploadButton
    save: gr.DownloadButton


def build(runs: tuple[Recorded, ...], first: Comparison | None) -> Opening:
    """A run picker with buttons to open and save a trace file."""
    with gr.Row(elem_classes="opening"):
        picker = gr.Dropdown(
            choices(runs, ()),
            value=runs[0].label if runs else None,
            label="Run",
            elem_id="picker",
            scale=6,
            min_width=260,
            filterable=len(runs) > 12,
        )
        upload = gr.UploadButton(
            "Open a trace", file_types=[".gz"], size="sm", scale=1, min_width=110
        )
        save = gr.DownloadButton(
            "Save this trace",
            saved(first) if first else None,
            size="sm",
            scale=1,
            min_width=110,
        )
    return Opening(picker, upload, save)


def choices(runs: tuple[Recorded, ...], own: tuple[Own, ...]) -> list[tuple[str, str]]:
    """The picker's entries: the visitor's own comparisons first, newest on top."""
    mine = [(f"Your run {o.number}: {o.comparison.name}", f"{OWN}{o.number}") for o in own]
    return [*reversed(mine), *((run.label, run.label) for run in runs)]


def find(
    key: str, runs: tuple[Recorded, ...], own: tuple[Own, ...]
) -> tuple[Comparison | None, str]:
    """The picked comparison, or None and one line that says why not."""
    if key.startswith(OWN):
        return next(o.comparison for o in own if f"{OWN}{o.number}" == key), ""
    try:
        return opened(next(run for run in runs if run.label == key)), ""
    except (TraceError, OSError) as error:
        return None, str(error)


def read(path: str) -> tuple[Comparison | None, str]:
    """A visitor's file, or None and one line that says what is wrong with it."""
    try:
        return uploaded(Path(path)), ""
    except (TraceError, OSError) as error:
        return None, str(error)


def kept(own: tuple[Own, ...], comparison: Comparison) -> tuple[Own, ...]:
    """The visitor's comparisons with one more; the oldest go."""
    number = own[-1].number + 1 if own else 1
    return (*own, Own(number, comparison))[-KEPT:]


def saved(comparison: Comparison) -> str:
    """A trace file of the comparison, to download."""
    if comparison.path:
        return str(comparison.path)
    name = "".join(c if c.isalnum() else "-" for c in comparison.name.lower())[:60].strip("-")
    path = Path(tempfile.mkdtemp()) / f"{name or 'run'}.json.gz"
    save_traces(path, comparison.traces)
    return str(path)


def description(comparison: Comparison) -> dict:
    """The prompt, and what the times depend on."""
    newest = comparison.traces[-1]  # the one that is sure to name the draft, when one was used
    return fact_list(newest.prompt, (), about(newest))
