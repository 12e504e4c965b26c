"""What the browser is told of a comparison."""

import json
from dataclasses import replace

import pytest
from sample_traces import sample_trace

from components.difference import divergences
from components.lane_labels import lane_labels
from components.selection import Comparison, opening
from components.stations import stations
from components.view import view
from eagley_core.rule import Rule


@pytest.fixture
def doubled(sample):
    """EAGLEY twice, under two rules."""
    first = sample.lanes["eagley"]
    second = sample_trace("eagley", seed=9)
    second = replace(second, config=replace(second.config, rule=Rule.parse("top-k:3")))
    return Comparison("sky", (sample.lanes["vanilla"], first, second), key="k")


def test_a_view_by_hand(tiny):
    alone = Comparison("tiny", (tiny,), key="k")
    assert view(alone) == {
        "key": "k",
        "name": "tiny",
        "length": 4,
        "opening": {"position": 1, "method": "eagley"},
        "trees": [None, "eagley"],
        "lanes": [
            {
                "method": "eagley",
                "label": "EAGLEY",
                "length": 4,
                "starts": [0, 1],
                "nodes": [0, 0, 2, 4],
                "ends": [0.053, 0.163],
                "tree": True,
            }
        ],
        "divergences": [],
        "tour": stations(alone),
    }


def test_a_view_finds_the_place_of_every_token(sample):
    shown = json.loads(json.dumps(view(sample)))
    assert [lane["method"] for lane in shown["lanes"]] == ["vanilla", "eagle", "eagley"]
    for lane, trace in zip(shown["lanes"], sample.traces, strict=True):
        for position, token in enumerate(trace.emitted):
            step = max(i for i, start in enumerate(lane["starts"]) if start <= position)
            assert step == token.step
            node = lane["nodes"][position]
            assert node == (len(trace.steps[step].nodes) if token.node is None else token.node)


def test_ends_are_on_the_clock_of_the_run(sample):
    for lane, trace in zip(view(sample)["lanes"], sample.traces, strict=True):
        assert lane["ends"] == sorted(lane["ends"])
        assert lane["ends"][-1] == pytest.approx(trace.seconds, abs=1e-6)


def test_a_view_opens_where_something_was_reused(sample):
    first = opening(sample)
    assert view(sample)["opening"] == {"position": first.position, "method": first.method}


def test_divergences_are_those_of_the_two_trees(sample):
    eagle, eagley = sample.lanes["eagle"], sample.lanes["eagley"]
    assert view(sample)["divergences"] == list(divergences(eagle, eagley))
    assert view(sample.only(["vanilla", "eagley"]))["divergences"] == []


def test_a_method_may_occur_twice_and_is_told_apart(doubled):
    shown = view(doubled)
    assert [lane["method"] for lane in shown["lanes"]] == ["vanilla", "eagley", "eagley-2"]
    labels = [lane["label"] for lane in shown["lanes"]]
    assert labels == ["Vanilla", "EAGLEY 1: rule exact", "EAGLEY 2: rule top-k:3"]
    assert shown["trees"] == ["eagley", "eagley-2"]


def test_two_runs_of_the_same_settings_are_numbered(sample):
    twice = Comparison("sky", (sample.traces[1], sample_trace("eagle", seed=2)))
    assert lane_labels(twice) == {"eagle": "EAGLE 1", "eagle-2": "EAGLE 2"}


def test_a_lone_lane_has_its_side(sample):
    assert sample.only(["vanilla", "eagle"]).trees == ("eagle", None)
    assert sample.only(["eagley"]).trees == (None, "eagley")
    assert sample.only(["vanilla"]).trees == (None, None)


def test_some_lanes_keep_their_names_and_order(doubled):
    some = doubled.only(["eagley-2", "vanilla", "eagle"])
    assert list(some.lanes) == ["vanilla", "eagley-2"]
    assert some.lanes["eagley-2"] is doubled.lanes["eagley-2"]
    with pytest.raises(ValueError, match="the lanes vanilla, eagley, eagley-2"):
        doubled.only(["eagle"])
