"""What opening a run answers, without a browser."""

from dataclasses import replace

import gradio as gr
import pytest

from components import stage as stages
from components.elements.facts import Facts
from components.library import Library, with_lanes
from components.live_wiring import finisher
from components.panels import lanes, opening
from components.runs import recorded
from components.selection import Comparison
from components.shelf import Shelf
from components.stage import Stage, picked, put_beside, shown, uploaded
from components.words import ENGLISH
from eagley_core.trace_file import save_traces

KEY = "1-chat_sky"


@pytest.fixture
def stage(tmp_path, sample):
    save_traces(tmp_path / f"{KEY}.json.gz", sample.traces)
    library = Library(recorded(tmp_path), Shelf())
    with gr.Blocks():
        picker = opening.build_picker(library.runs, None)
        files = opening.build_files(library.runs, None, lambda question: question)
        rows = lanes.build(None)
        bars = (gr.State(KEY), gr.State(()), picker, Facts(), files, rows, (rows.panel,))
    return Stage(*bars, library, ENGLISH)


@pytest.fixture
def warnings(monkeypatch):
    said = []
    monkeypatch.setattr(stages.gr, "Warning", said.append)
    return said


def test_a_picked_run_fills_every_part(stage):
    updates = picked(stage)(KEY, "", ())
    assert updates.keys() == set(stage.outputs)
    assert updates[stage.key] == KEY
    assert updates[stage.picker]["value"] == KEY
    assert updates[stage.lanes.shown]["value"] == ["vanilla", "eagle", "eagley"]


def test_what_cannot_be_opened_leaves_the_page(stage, warnings):
    updates = picked(stage)("own-gone", KEY, ())
    assert stage.key not in updates
    assert updates[stage.picker]["value"] == KEY
    assert len(warnings) == 1
    assert "no longer kept" in warnings[0]


def test_some_lanes_are_shown_and_never_none(stage, warnings):
    updates = shown(stage)(["eagley", "eagle"], KEY, ())
    assert updates[stage.key] == f"{KEY}~eagle,eagley"
    assert updates[stage.lanes.shown]["value"] == ["eagle", "eagley"]
    assert shown(stage)([], KEY, ())[stage.key] == KEY
    assert warnings == ["At least one lane must be shown."]


def test_a_file_is_kept_under_a_key_and_listed(stage, warnings, tmp_path, sample):
    path = tmp_path / "chat_mine.json.gz"
    save_traces(path, sample.traces)
    updates = uploaded(stage)(str(path), ())
    (own,) = updates[stage.own]
    assert (own.number, own.name, own.key) == (1, "Chat: mine", updates[stage.key])
    assert stage.library.find(own.key).traces[1].pieces == sample.traces[1].pieces
    path.write_bytes(b"nothing")
    assert uploaded(stage)(str(path), (own,)) == {stage.own: (own,)}
    assert len(warnings) == 1


def test_a_run_beside_another_shows_what_can_be_compared(stage, sample):
    other = stage.library.shelf.put(Comparison("again", sample.traces))
    updates = put_beside(stage)(other.key, f"{KEY}~eagle", ())
    key = f"{KEY}+{other.key}"
    assert updates[stage.key] == with_lanes(key, ["vanilla", "eagley", "eagley-2"])
    assert updates[stage.files.beside]["value"] == other.key
    assert put_beside(stage)(other.key, key, ()) == {stage.own: ()}
    assert put_beside(stage)("", key, ())[stage.key] == KEY


def test_another_prompt_is_refused_beside(stage, warnings, sample):
    odd = tuple(replace(trace, prompt_ids=(1, 2)) for trace in sample.traces)
    other = stage.library.shelf.put(Comparison("odd", odd))
    updates = put_beside(stage)(other.key, KEY, ())
    assert updates == {stage.picker: gr.update(value=KEY), stage.files.beside: ""}
    assert warnings[0].startswith("The two runs have different prompts.")


def test_a_finished_run_comes_from_the_shelf_and_a_failed_one_brings_back_the_page(stage, sample):
    finish = finisher(stage)
    done = finish(Comparison("why?", sample.traces), KEY, ())
    assert stage.library.find(done[stage.key]).name == "why?"
    assert done[stage.own][0].key == done[stage.key]
    assert finish(None, KEY, ())[stage.key] == KEY
    assert finish(None, "", ()) == {stage.own: ()}
