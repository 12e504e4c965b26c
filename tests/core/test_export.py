"""A recorded run in the form of other tools."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest
from sample_traces import sample_traces
from tiny_trace import tiny_trace

from eagley_core.cli import main
from eagley_core.csv_tables import tables
from eagley_core.perfetto import TRACKS, perfetto
from eagley_core.trace import Estimate
from eagley_core.trace_file import save_traces


@pytest.fixture
def sky(tmp_path):
    path = tmp_path / "sky.json.gz"
    save_traces(path, sample_traces())
    return path


def exported(sky, form, capsys, *more):
    assert main(["export", str(sky), "--format", form, "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def of(document, kind):
    return [event for event in document["traceEvents"] if event["ph"] == kind]


def test_slices_by_hand():
    slices = {(e["tid"], e["name"]): (e["ts"], e["dur"]) for e in of(perfetto([tiny_trace()]), "X")}
    assert slices[1, "step 1"] == (100_000, 63_000)
    assert slices[2, "draft"] == (100_000, 10_000)
    # The prefill has no draft; of two with one name the later is kept here.
    assert slices[3, "verify"] == (110_000, 50_000)
    assert slices[4, "accept"] == (160_000, 1_000)
    assert slices[5, "commit"] == (161_000, 2_000)


def test_a_step_tells_what_happened():
    tiny = tiny_trace()
    step = replace(tiny.steps[1], estimate=Estimate(2.5, 0.01, 0.04))
    facts = of(perfetto([replace(tiny, steps=(tiny.steps[0], step))]), "X")[4]["args"]
    assert facts["accepted"] == [" sky", " is"]
    assert facts["sources"] == ["draft", "recycled"]
    assert (facts["bonus"], facts["emitted"], facts["rows"]) == (" blue", 3, 5)
    assert (facts["expected_tokens"], facts["expected_ms"]) == (2.5, 50)


def test_lanes_are_processes_with_tracks_and_counters():
    document = perfetto(sample_traces())
    named = [
        (e["pid"], e["args"]["name"]) for e in of(document, "M") if e["name"] == "process_name"
    ]
    assert named == [(1, "1 Vanilla"), (2, "2 EAGLE"), (3, "3 EAGLEY")]
    tracks = [e["args"]["name"] for e in of(document, "M") if e["name"] == "thread_name"]
    assert tracks == [*TRACKS] * 3
    counters = [e for e in of(document, "C") if (e["pid"], e["name"]) == (3, "accepted length")]
    steps = sample_traces()[2].steps
    assert [e["args"]["accepted length"] for e in counters] == [len(s.accepted) + 1 for s in steps]


def test_slices_of_a_track_do_not_overlap():
    for pid in (1, 2, 3):
        for tid in range(1, len(TRACKS) + 1):
            own = [
                e for e in of(perfetto(sample_traces()), "X") if (e["pid"], e["tid"]) == (pid, tid)
            ]
            ends = [e["ts"] + e["dur"] for e in own]
            assert all(end <= e["ts"] + 0.01 for end, e in zip(ends, own[1:], strict=False))


def test_tables_by_hand():
    found = tables([tiny_trace()])
    assert {name: len(records) for name, records in found.items()} == {
        "runs": 1,
        "steps": 2,
        "nodes": 4,
        "tokens": 4,
        "cache": 4,
    }
    node = found["nodes"][2]
    assert (node["step"], node["node"], node["text"], node["source"]) == (1, 2, " is", "recycled")
    assert (node["origin_step"], node["origin_node"], node["origin_rejected"]) == (0, 3, False)
    assert found["nodes"][0]["origin_step"] is None
    assert [token["piece"] for token in found["tokens"]] == ["The", " sky", " is", " blue"]
    assert found["steps"][1]["accepted"] == 2
    assert found["runs"][0]["mean_accepted_length"] == 3


def test_the_zip_reads_back(sky, tmp_path, capsys):
    out = tmp_path / "sky.zip"
    assert exported(sky, "csv", capsys, "--out", str(out)) == {"file": str(out)}
    with zipfile.ZipFile(out) as archive:
        assert archive.namelist() == [f"{n}.csv" for n in tables(sample_traces())]
        rows = list(csv.DictReader(io.StringIO(archive.read("tokens.csv").decode())))
    text = "".join(row["piece"] for row in rows if row["run"] == "2")
    assert text == sample_traces()[2].text
    before = out.read_bytes()
    exported(sky, "csv", capsys, "--out", str(out))
    assert out.read_bytes() == before


def test_json_is_the_trace_unpacked(sky, tmp_path, capsys):
    out = tmp_path / "new" / "sky.json"
    exported(sky, "json", capsys, "--out", str(out))
    document = json.loads(out.read_text("utf-8"))
    assert document["format"] == "eagley-trace"
    assert document["traces"][2]["pieces"] == list(sample_traces()[2].pieces)


def test_files_are_named_after_the_trace(sky, capsys, monkeypatch, tmp_path):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert exported(sky, "perfetto", capsys) == {"file": "sky.perfetto.json"}
    assert json.loads((tmp_path / "here/sky.perfetto.json").read_text("utf-8"))["traceEvents"]


def test_html_has_the_text_and_asks_nothing_of_the_network(sky, tmp_path, capsys):
    out = tmp_path / "sky.html"
    exported(sky, "html", capsys, "--out", str(out))
    page = out.read_text("utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "EAGLEY Explorer" in page
    assert 'src="http' not in page


@pytest.mark.parametrize("form", ["perfetto", "csv", "json", "html"])
def test_what_is_no_trace_is_refused_in_one_line(tmp_path, capsys, form):
    path = tmp_path / "no.json.gz"
    path.write_bytes(b"nothing")
    assert main(["export", str(path), "--format", form]) == 2
    assert "not a trace" in capsys.readouterr().err


def test_the_trace_is_not_written_over(sky, capsys):
    assert main(["export", str(sky), "--format", "json", "--out", str(sky)]) == 2
    assert "is the trace itself" in capsys.readouterr().err
