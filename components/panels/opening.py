"""Which comparison is on the page: recorded runs, the visitor's own, and files."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import gradio as gr

from components.elements.facts import Facts, fact_list
from components.elements.save import KINDS, Save
from components.library import BESIDE, whole
from components.outcome import about
from components.panels.panel import Panel
from components.runs import Recorded, uploaded
from components.selection import Comparison
from components.shelf import OWN
from components.words import ENGLISH, Words
from eagley_core.trace_file import TraceError, save_traces

KEPT = 8  # of the visitor's own comparisons
ALONE = ""  # beside the run stands no other


class Own(NamedTuple):
    """A comparison that the visitor ran or opened."""

    number: int
    name: str
    key: str


class Files(NamedTuple):
    upload: gr.UploadButton
    beside: gr.Dropdown


def build_picker(
    runs: tuple[Recorded, ...], first: Comparison | None, say: Words = ENGLISH
) -> gr.Dropdown:
    """The run picker."""
    return gr.Dropdown(
        choices(runs, (), say),
        value=first.key if first else None,
        label=say("Run"),
        elem_id="picker",
        scale=6,
        min_width=220,
        filterable=len(runs) > 12,
    )


def build_files(
    runs: tuple[Recorded, ...], first: Comparison | None, save: Callable, say: Words = ENGLISH
) -> Files:
    """Traces in and out, and a second run beside the first. `save`: see `saving`."""
    key = first.key if first else ""
    with (
        gr.Accordion(say("Open, save, compare"), open=False, elem_id="files"),
        gr.Row(elem_classes="opening"),
    ):
        upload = gr.UploadButton(
            say("Open a trace"), file_types=[".gz"], size="sm", scale=0, min_width=130
        )
        Save(
            kinds={name: say(label) for name, label in KINDS.items()},
            server_functions=[save],
            elem_id="save",
            scale=2,
            min_width=260,
            say=say,
        )
        beside = gr.Dropdown(
            besides(runs, (), key, say),
            value=ALONE,
            label=say("Beside it, another run of the same prompt"),
            elem_id="beside",
            filterable=False,
            scale=3,
            min_width=220,
        )
    return Files(upload, beside)


def choices(
    runs: tuple[Recorded, ...], own: tuple[Own, ...], say: Words = ENGLISH
) -> list[tuple[str, str]]:
    """The picker's entries: the visitor's own comparisons first, newest on top."""
    mine = [(say("Your run {number}: {name}", number=o.number, name=o.name), o.key) for o in own]
    return [*reversed(mine), *((say(run.label), run.slug) for run in runs)]


def besides(
    runs: tuple[Recorded, ...], own: tuple[Own, ...], key: str, say: Words = ENGLISH
) -> list[tuple[str, str]]:
    """What can be asked to stand beside the run of this key."""
    others = [(label, run) for label, run in choices(runs, own, say) if run != parts(key)[0]]
    return [(say("none"), ALONE), *others]


def parts(key: str) -> tuple[str, str]:
    """The key of the run, and of the one beside it."""
    first, _, other = whole(key).partition(BESIDE)
    return first, other or ALONE


def read(path: str) -> tuple[Comparison | None, str]:
    """A visitor's file, or None and one line that says what is wrong with it."""
    try:
        return uploaded(Path(path)), ""
    except (TraceError, OSError) as error:
        return None, str(error)


def kept(own: tuple[Own, ...], comparison: Comparison) -> tuple[Own, ...]:
    """The visitor's comparisons with one more; the oldest go."""
    number = own[-1].number + 1 if own else 1
    return (*own, Own(number, comparison.name, comparison.key))[-KEPT:]


def saved(comparison: Comparison) -> str:
    """A trace file of the comparison, to download."""
    if comparison.path:
        return str(comparison.path)
    name = "".join(c if c.isalnum() else "-" for c in comparison.name.lower())[:60].strip("-")
    path = Path(tempfile.mkdtemp()) / f"{name or 'run'}.json.gz"
    save_traces(path, comparison.traces)
    return str(path)


def build_about(comparison: Comparison | None, problem: str, say: Words = ENGLISH) -> Panel:
    """The prompt, and what the times depend on."""
    found = description(comparison, say) if comparison else fact_list("", (), problem)
    return Panel((Facts(found, elem_id="about"),), lambda opened: (description(opened, say),))


def description(comparison: Comparison, say: Words = ENGLISH) -> dict:
    newest = comparison.traces[-1]  # the one that is sure to name the draft, when one was used
    origin = say("your own run") if comparison.key.startswith(OWN) else say("recorded")
    return fact_list(newest.prompt, (), f"{origin} · {about(newest, say)}")
