import copy

from components.selection import (
    ROOT,
    Selection,
    at_node,
    at_position,
    at_step,
    opening,
    place,
    span,
    starts,
)


def test_each_lane_shows_the_step_that_emitted_the_position(sample):
    for trace in sample.traces:
        for position, token in enumerate(trace.emitted):
            here = place(trace, Selection(position))
            start, stop = span(trace, here.step.index)
            assert here.step.index == token.step
            assert start <= position < stop


def test_a_lane_that_ended_earlier_has_no_place(tiny):
    assert place(tiny, Selection(4)) is None


def test_starts_by_hand(tiny):
    assert starts(tiny) == (0, 1)


def test_the_bonus_is_the_place_after_the_nodes(tiny):
    assert place(tiny, Selection(3)).node == 4


def test_a_picked_node_counts_in_its_own_lane_only(sample):
    selection = Selection(10, "eagle", node=0)
    assert place(sample.lanes["eagle"], selection).node == 0
    other = place(sample.lanes["eagley"], selection)
    assert other == place(sample.lanes["eagley"], Selection(10, "eagle"))


def test_a_rejected_node_selects_the_token_that_won_at_its_depth(tiny, chosen):
    assert at_node(chosen, tiny, 1) == Selection(1, "eagley", 1)
    assert at_node(chosen, tiny, 3) == Selection(2, "eagley", 3)


def test_root_and_bonus_can_be_picked(tiny, chosen):
    assert at_node(chosen, tiny, ROOT) == Selection(1, "eagley", ROOT)
    assert at_node(chosen, tiny, 4) == Selection(3, "eagley", 4)


def test_a_node_deeper_than_the_output_stays_in_its_step(sample):
    trace = sample.lanes["eagle"]
    for step in trace.decode_steps:
        start = Selection(starts(trace)[step.index], "eagle")
        for index in range(len(step.nodes)):
            assert place(trace, at_node(start, trace, index)) == (step, index)


def test_a_vanilla_token_keeps_the_lane_that_the_keys_walk(sample):
    moved = at_position(Selection(0, "eagle"), sample.lanes["vanilla"], 5)
    assert moved == Selection(5, "eagle")


def test_steps_out_of_range_are_clamped(tiny, chosen):
    assert at_step(chosen, tiny, 99).position == 1
    assert at_step(chosen, tiny, -1).position == 0


def test_opening_shows_an_accepted_node_that_was_kept(sample):
    here = place(sample.lanes["eagley"], opening(sample))
    assert any(here.step.nodes[node].source != "draft" for node in here.step.accepted)


def test_comparisons_are_shared_not_copied(sample):
    assert copy.deepcopy(sample) is sample
