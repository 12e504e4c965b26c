"""Lanes, and the places of their trees."""

import copy

from components.selection import lane_names, opening, parent, starts


def test_starts_by_hand(tiny):
    assert starts(tiny) == (0, 1)


def test_every_token_lies_behind_the_start_of_its_step(sample):
    for trace in sample.traces:
        begins = starts(trace)
        for position, token in enumerate(trace.emitted):
            step = trace.steps[token.step]
            assert begins[token.step] <= position < begins[token.step] + step.emitted


def test_the_bonus_hangs_on_the_accepted_path(tiny):
    assert [parent(tiny.steps[1], node) for node in range(5)] == [-1, -1, 0, 1, 2]
    assert parent(tiny.steps[0], 0) == -1


def test_opening_shows_an_accepted_node_that_was_kept(sample):
    position, lane = opening(sample)
    trace = sample.lanes[lane]
    step = trace.steps[trace.emitted[position].step]
    assert lane == "eagley"
    assert any(step.nodes[node].source != "draft" for node in step.accepted)


def test_a_vanilla_run_alone_can_be_opened(sample):
    assert opening(sample.only(["vanilla"])).method == "vanilla"


def test_lanes_are_named_by_method_and_number(sample):
    names = lane_names([*sample.traces, sample.traces[2], sample.traces[0]])
    assert names == ("vanilla", "eagle", "eagley", "eagley-2", "vanilla-2")


def test_comparisons_are_shared_not_copied(sample):
    assert copy.deepcopy(sample) is sample
