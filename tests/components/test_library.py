"""Comparisons by key: recorded, kept, side by side, and some of the lanes."""

from dataclasses import replace

import pytest
from sample_traces import sample_traces

from components.library import GONE, OTHER_PROMPT, UNKNOWN, Library, whole, with_lanes
from components.runs import recorded
from components.selection import Comparison
from components.shelf import Shelf
from eagley_core.trace_file import TraceError, save_traces


@pytest.fixture
def library(tmp_path, sample):
    save_traces(tmp_path / "1-chat_sky.json.gz", sample.traces)
    (tmp_path / "2-broken.json.gz").write_bytes(b"nothing")
    return Library(recorded(tmp_path), Shelf())


@pytest.fixture
def again(library):
    """Another run of the same prompt, of two lanes."""
    return library.shelf.put(Comparison("again", sample_traces(seed=3)[1:]))


def test_recorded_and_kept_runs_are_found(library, again):
    assert library.find("1-chat_sky").key == "1-chat_sky"
    assert library.find(again.key) is again


@pytest.mark.parametrize("key", ["", "nothing", "own-", "../1-chat_sky", "x" * 10_000, None, 3])
def test_a_run_that_is_not_here_says_so(library, key):
    with pytest.raises(LookupError) as raised:
        library.find(key)
    assert raised.value.args[0] == (GONE if key == "own-" else UNKNOWN)


def test_a_damaged_file_says_so(library):
    with pytest.raises(TraceError, match="not gzip"):
        library.find("2-broken")


def test_some_lanes_of_a_run(library):
    key = with_lanes("1-chat_sky~vanilla", ["eagley", "eagle"])
    assert key == "1-chat_sky~eagle,eagley"
    some = library.find(key)
    assert (some.key, list(some.lanes)) == (key, ["eagle", "eagley"])
    assert whole(key) == "1-chat_sky"
    with pytest.raises(ValueError, match="the run has the lanes"):
        library.find("1-chat_sky~other")


def test_two_runs_of_a_prompt_stand_side_by_side(library, again):
    key = f"1-chat_sky+{again.key}"
    both = library.find(key)
    assert both.key == key
    assert list(both.lanes) == ["vanilla", "eagle", "eagle-2", "eagley", "eagley-2"]
    assert both.lanes["eagley"] is library.find("1-chat_sky").lanes["eagley"]
    assert both.lanes["eagley-2"] is again.lanes["eagley"]
    assert both.trees == ("eagley", "eagley-2")
    assert both.usual == ("vanilla", "eagley", "eagley-2")
    assert list(library.find(f"{key}~eagle,eagle-2").lanes) == ["eagle", "eagle-2"]


def test_runs_of_different_prompts_do_not(library, sample):
    other = [replace(trace, prompt_ids=(5, 6)) for trace in sample.traces]
    kept = library.shelf.put(Comparison("other", tuple(other)))
    with pytest.raises(ValueError) as raised:
        library.find(f"1-chat_sky+{kept.key}")
    assert raised.value.args[0] == OTHER_PROMPT


def test_a_run_of_at_most_three_lanes_is_shown_whole(library):
    assert library.find("1-chat_sky").usual == ("vanilla", "eagle", "eagley")
