"""The tour: its numbers are those of the step that it walks through."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sample_traces import sample_traces
from tiny_trace import tiny_trace

from components.labels import milliseconds, visible
from components.selection import Comparison
from components.stations import stations
from components.story import story_of
from eagley_core.trace_file import load_traces

RUNS = sorted((Path(__file__).resolve().parents[2] / "assets/runs").glob("*.json.gz"))


@pytest.fixture(params=RUNS, ids=lambda path: path.name[:2])
def recorded(request) -> Comparison:
    return Comparison("recorded", tuple(load_traces(request.param)))


def test_the_numbers_are_those_of_the_step(recorded):
    found = stations(recorded)
    assert 8 <= len(found) <= 10
    story = story_of(recorded.lanes["eagley"])
    step, told = story.step, {one["title"]: one["text"] for one in found}
    assert str(len(step.nodes)) in told["A tree of guesses"]
    assert milliseconds(step.verify_seconds) in told["One pass checks them all"]
    assert f"accepted {len(step.accepted)} in all" in told["What is accepted, and why"]
    bonus = visible(recorded.lanes["eagley"].token_texts[step.bonus_id])
    assert f"“{bonus}”" in told["The bonus"]
    lost = f"{len(step.nodes) - len(step.accepted)} of the {len(step.nodes) + 1} rows"
    assert lost in told["What is rejected"]
    ours, theirs = (recorded.lanes[name].output_ids for name in ("eagley", "vanilla"))
    outcome = f"all {len(ours)} are the same" if ours == theirs else "the outputs part at token"
    assert outcome in told["How we know"]


def test_what_comes_back_was_kept_from_the_rejected_node(recorded):
    story = story_of(recorded.lanes["eagley"])
    if story.later is None:
        pytest.skip("no rejected row of this run came back")
    node = story.later.nodes[story.again]
    assert node.verdict == "accepted" and node.origin.rejected
    assert (node.origin.step, node.origin.node) == (story.step.index, story.rejected)
    likely = {candidate.token_id for candidate in story.step.nodes[story.rejected].after.top}
    assert node.token_id in likely or node.source == "suffix"


def test_stations_point_into_the_lane(recorded):
    trace = recorded.lanes["eagley"]
    for one in stations(recorded):
        step = trace.steps[one["at"]["step"]]
        assert -1 <= one["at"]["node"] <= len(step.nodes)
        assert one["at"]["depth"] >= 1
        assert one["at"]["method"] == "eagley"
        assert "{" not in one["show"] + one["text"]
    json.dumps(stations(recorded))


def test_a_run_without_trees_has_no_tour():
    vanilla = [trace for trace in sample_traces() if trace.config.method == "vanilla"]
    assert stations(Comparison("one", tuple(vanilla))) == []


def test_a_lone_eagle_stands_on_the_left():
    eagle = [trace for trace in sample_traces() if trace.config.method == "eagle"]
    shown = {one["show"] for one in stations(Comparison("one", tuple(eagle)))}
    assert "#tree-eagle .ring, #tree-0 .ring" in shown and "#lane-eagle" in shown


def test_a_hand_drawn_step_in_words():
    found = stations(Comparison("tiny", (tiny_trace(),)))
    told = {one["title"]: one["text"] for one in found}
    assert "“·sky”, “<b>”" in told["A tree of guesses"]
    assert "2 of the 5 rows" in told["What is rejected"]
    assert "So one pass gave 3 tokens" in told["The bonus"]
    assert "nothing to compare with" in told["How we know"]
    assert told["What EAGLEY keeps"].startswith("In this run no guess")


def test_outputs_that_part_are_said_to_part():
    lanes = sample_traces()
    own = next(trace for trace in lanes if trace.config.method == "eagley")
    other = (*own.output_ids[:3], own.output_ids[3] + 1, *own.output_ids[4:])
    parted = tuple(replace(t, output_ids=other) if t is own else t for t in lanes)
    assert "the outputs part at token 4" in stations(Comparison("sky", parted))[-1]["text"]
