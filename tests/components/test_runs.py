import gzip
from dataclasses import replace

import pytest

from components.runs import MAX_UPLOAD, opened, recorded, uploaded
from eagley_core.trace_file import TraceError, save_traces


def test_runs_are_listed_by_their_names_without_being_read(tmp_path):
    (tmp_path / "02-code_fibonacci.json.gz").write_bytes(b"not even a trace")
    (tmp_path / "01-chat_why-is-the-sky-blue.json.gz").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("other")
    labels = [run.label for run in recorded(tmp_path)]
    assert labels == ["Chat: why is the sky blue", "Code: fibonacci"]


def test_a_missing_folder_has_no_runs(tmp_path):
    assert recorded(tmp_path / "nowhere") == ()


def test_a_run_is_opened_once(tmp_path, sample):
    save_traces(tmp_path / "a.json.gz", sample.traces)
    (run,) = recorded(tmp_path)
    assert opened(run) is opened(run)
    assert [trace.label for trace in opened(run).traces] == ["Vanilla", "EAGLE", "EAGLEY"]


def test_uploads_are_checked(tmp_path, sample, tiny):
    path = tmp_path / "x.json.gz"
    path.write_bytes(b"x" * (MAX_UPLOAD + 1))
    with pytest.raises(TraceError, match="larger than 5 MiB"):
        uploaded(path)
    path.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(TraceError, match="not an EAGLEY trace"):
        uploaded(path)
    broken = replace(tiny, steps=(tiny.steps[0], replace(tiny.steps[1], accepted=(0, 99))))
    save_traces(path, [broken])
    with pytest.raises(TraceError, match="does not fit together"):
        uploaded(path)
    save_traces(path, [sample.traces[0]] * 3)
    with pytest.raises(TraceError, match="more than 2 runs of one method"):
        uploaded(path)


def test_an_upload_may_hold_two_runs_of_one_method(tmp_path, sample):
    save_traces(tmp_path / "x.json.gz", [sample.traces[2]] * 2)
    assert list(uploaded(tmp_path / "x.json.gz").lanes) == ["eagley", "eagley-2"]


def test_slugs_are_fit_for_addresses_and_keys(tmp_path):
    (tmp_path / "01-chat_a b+c~d.json.gz").write_bytes(b"")
    (run,) = recorded(tmp_path)
    assert run.slug == "01-chat_a-b-c-d"
