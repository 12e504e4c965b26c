"""A file that no real run could have written is refused before it reaches a page."""

import gzip
from dataclasses import replace

import pytest
from sample_traces import sample_trace

from components.elements.tokens import token_list
from eagley_core.text import encode
from eagley_core.trace import CacheRun
from eagley_core.trace_file import TraceError, load_traces, save_traces


@pytest.fixture(scope="module")
def trace():
    return sample_trace("eagley")


def refused(tmp_path, trace, match: str) -> None:
    save_traces(tmp_path / "run.json.gz", [trace])
    with pytest.raises(TraceError, match=match):
        load_traces(tmp_path / "run.json.gz")


@pytest.mark.parametrize("run", [(0, 10**9), (5, 5), (-1, 2), (9, 3)])
def test_cached_positions_that_a_step_cannot_have_are_refused(tmp_path, trace, run):
    wrong = replace(trace.steps[1], cache=(CacheRun(*run, "kept"),))
    odd = replace(trace, steps=(trace.steps[0], wrong, *trace.steps[2:]))
    refused(tmp_path, odd, "cached positions")


def test_steps_that_are_numbered_otherwise_are_refused(tmp_path, trace):
    odd = replace(trace, steps=tuple(replace(s, index=s.index + 7) for s in trace.steps))
    refused(tmp_path, odd, "says that it is step 7")


def test_text_that_is_no_unicode_is_refused(tmp_path, trace):
    save_traces(tmp_path / "run.json.gz", [trace])
    data = gzip.decompress((tmp_path / "run.json.gz").read_bytes()).decode()
    changed = data.replace('"category":"', '"category":"\\ud800', 1)
    (tmp_path / "run.json.gz").write_bytes(gzip.compress(changed.encode()))
    with pytest.raises(TraceError, match="category"):
        load_traces(tmp_path / "run.json.gz")


def test_a_prompt_that_is_no_unicode_is_refused():
    with pytest.raises(ValueError, match="valid Unicode"):
        encode(None, "a\udcffb", raw=True)


def test_two_runs_of_one_name_never_share_their_tokens():
    one, two = sample_trace("eagle", seed=7), sample_trace("eagle", seed=8)
    same = replace(two, name=one.name)
    assert token_list(one)["key"] == token_list(one)["key"]
    assert token_list(one)["key"] != token_list(same)["key"]
