"""What a run is saved as."""

import base64
import csv
import gzip
import io
import json
import zipfile

import pytest

from components.elements.save import KINDS
from components.library import Library
from components.runs import recorded
from components.saving import save_function, saved_as
from components.shelf import Shelf
from eagley_core.trace_file import load_traces, save_traces


def test_a_trace_is_the_file_that_the_page_opens(sample, tmp_path):
    saved = saved_as(sample, "trace")
    (tmp_path / "run.json.gz").write_bytes(saved.data)
    assert load_traces(tmp_path / "run.json.gz")[2].pieces == sample.traces[2].pieces
    assert gzip.decompress(saved.data) == saved_as(sample, "json").data


def test_tables_are_a_zip_of_csv(sample):
    with zipfile.ZipFile(io.BytesIO(saved_as(sample, "csv").data)) as archive:
        rows = list(csv.reader(io.StringIO(archive.read("nodes.csv").decode(), newline="")))
    assert len(rows) == 1 + sum(len(step.nodes) for t in sample.traces for step in t.steps)


def test_a_timeline_for_perfetto(sample):
    assert json.loads(saved_as(sample, "perfetto").data)["traceEvents"]


def test_a_page_that_needs_no_network(sample):
    assert b"<!doctype html>" in saved_as(sample, "html").data[:200].lower()


def test_only_the_lanes_that_are_shown_are_saved(sample, tmp_path):
    (tmp_path / "run.json.gz").write_bytes(saved_as(sample.only(["eagley"]), "trace").data)
    assert [t.label for t in load_traces(tmp_path / "run.json.gz")] == ["EAGLEY"]


def test_the_browser_gets_name_type_and_data(sample, tmp_path):
    save_traces(tmp_path / "1-chat_sky.json.gz", sample.traces)
    save = save_function(Library(recorded(tmp_path), Shelf()))
    found = json.loads(save(["1-chat_sky", "json"]).body)
    assert found["name"] == "chat-sky.json"
    assert base64.b64decode(found["data"]) == saved_as(sample, "json").data
    assert "one of trace, json" in json.loads(save(["1-chat_sky", "pdf"]).body)["error"]
    assert json.loads(save(["own-1", "json"]).body)["error"]


def test_no_kind_is_unknown(sample):
    assert all(saved_as(sample, kind).data for kind in KINDS)
    with pytest.raises(ValueError, match="not as 'pdf'"):
        saved_as(sample, "pdf")
