"""One step as the browser gets it."""

import json
from dataclasses import replace

import pytest
from sample_traces import sample_traces

from components.difference import difference
from components.explain import facts
from components.figures.draft_tree import extent
from components.figures.tidy import tidy
from components.packets import judged, packet
from components.selection import ROOT, Place
from eagley_core.rule import Rule


def of(trace, step, other=None, **more):
    return packet(trace, step, extent([trace]), other, **more)


def test_a_packet_is_plain_data(sample):
    for trace in sample.traces:
        for step in trace.steps[:6]:
            found = of(trace, step.index)
            assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_root_nodes_and_bonus_have_a_spot_and_a_card_each(sample):
    trace = sample.lanes["eagley"]
    for step in trace.steps:
        found = of(trace, step.index)
        assert len(found["spots"]) == len(found["cards"]) == len(step.nodes) + 2
        assert sorted(found["order"]) == list(range(ROOT, len(step.nodes) + 1))
        spots = tidy(step)
        for place in range(ROOT, len(step.nodes) + 1):
            assert tuple(found["spots"][place + 1]) == spots[place]
            rows = [tuple(row) for row in found["cards"][place + 1]["rows"]]
            assert rows == list(facts(trace, Place(step, place)))


def test_the_order_reads_as_text(sample):
    for step in sample.lanes["eagle"].decode_steps:
        found = of(sample.lanes["eagle"], step.index)
        rows = [found["spots"][place + 1][::-1] for place in found["order"]]
        assert rows == sorted(rows)


def test_words_by_hand(tiny):
    found = of(tiny, 1)
    assert (found["step"], found["kind"], found["title"]) == (1, "decode", "EAGLEY, step 1")
    assert found["note"] == "Nodes: 4; rows: 5; accepted: 2; recycled: 1, accepted 1."
    titles = [card["title"] for card in found["cards"]]
    assert titles == [
        "Root “The”",
        "Node “·sky”",
        "Node “<b>”",
        "Node “·is”",
        "Node “·x”",
        "Bonus “·blue”",
    ]


def test_the_prefill_says_that_nothing_was_drafted(tiny):
    found = of(tiny, 0)
    assert found["kind"] == "prefill"
    assert "nothing was drafted" in found["note"]
    assert found["table"]["rows"] == []


def test_the_figure_has_no_selection_and_no_hovers(sample):
    text = json.dumps(of(sample.lanes["eagley"], 3)["figure"])
    assert "hovertext" not in text
    assert '"ring"' not in text


def test_origins_can_be_followed_in_this_run_only(tiny):
    kept = of(tiny, 1)["cards"][3]
    assert kept["origin"] == {"step": 0, "node": ROOT}
    assert of(replace(tiny, turn=1), 1)["cards"][3]["origin"] is None


def test_an_origin_is_a_place_of_its_step(sample):
    trace = sample.lanes["eagley"]
    origins = [
        card["origin"]
        for step in trace.steps
        for card in of(trace, step.index)["cards"]
        if card["origin"]
    ]
    assert origins
    for origin in origins:
        assert ROOT <= origin["node"] < len(trace.steps[origin["step"]].nodes) or not origin["step"]


def test_what_is_only_here_is_held_against_the_tree_at_the_same_token(sample):
    eagle, eagley = sample.lanes["eagle"], sample.lanes["eagley"]
    start = 0
    for step in eagley.steps:
        other = eagle.steps[eagle.emitted[start].step]
        assert of(eagley, step.index, eagle)["only"] == list(difference(eagley, step, eagle, other))
        start += step.emitted
    assert of(eagley, 3)["only"] == []


def test_nothing_is_held_against_a_lane_that_ended_earlier(sample):
    short = sample_traces(words=("The", " sky"))[1]
    last = len(sample.lanes["eagley"].steps) - 1
    assert of(sample.lanes["eagley"], last, short)["only"] == []


def test_another_rule_judges_a_step(tiny):
    found = judged(tiny, 1, Rule.parse("top-k:9"), extent([tiny]))
    assert found["note"].startswith("Under top-k:9. ")
    assert [row[8] for row in found["table"]["rows"]].count("accepted") >= 2
    assert found["only"] == []


def test_a_rule_without_a_what_if_leaves_the_step_as_it_was(tiny):
    found = judged(tiny, 1, Rule.parse("seed-literal:0.3"), extent([tiny]))
    assert found["note"].startswith("As recorded: the rule seed-literal")
    assert found["table"] == of(tiny, 1)["table"]


def test_no_rule_judges_the_prefill(tiny):
    assert judged(tiny, 0, Rule.parse("top-k:9"), extent([tiny])) == of(tiny, 0)


@pytest.mark.parametrize("step", [0, 1])
def test_a_step_of_the_vanilla_lane_can_be_shown(sample, step):
    assert of(sample.lanes["vanilla"], step)["cards"][0]["title"].startswith("Root")
