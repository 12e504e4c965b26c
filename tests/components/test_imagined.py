"""Another rule on a recorded step, as the page shows it."""

from dataclasses import replace

import pytest

from components.figures.draft_tree import draft_tree, extent
from components.imagined import UNKNOWN, imagined
from components.offers import what_if_rules
from components.packets import judged
from components.selection import Place
from components.verdict import reason
from eagley_core.judge import Standing
from eagley_core.rule import Rule
from eagley_core.what_if import what_if

LOOSE = Rule("seed-threshold", (0.05,))


@pytest.fixture
def here(tiny):
    return Place(tiny.steps[1], 0)


def verdicts(found) -> list[str]:
    return [node.verdict for node in found.place.step.nodes]


def test_a_strict_rule_ends_the_path_at_once(tiny, here):
    found = imagined(tiny, here, Rule("seed-threshold", (0.95,)))
    assert verdicts(found) == ["rejected", "rejected", "untested", "untested"]
    assert found.place.step.accepted == ()
    # The target's own token there is the one that the rule rejected.
    assert found.place.step.bonus_id == 2
    told = reason(found.trace, found.place.step, 0)
    assert told == "Rejected by the rule seed-threshold:0.95: p, 0.9, is below T, 0.95."


def test_a_loose_rule_follows_another_path(tiny, here):
    nodes = tuple(replace(n, raw_probability=0.5 - 0.1 * i) for i, n in enumerate(here.step.nodes))
    step = replace(here.step, nodes=(replace(nodes[0], raw_probability=0.01), *nodes[1:]))
    found = imagined(tiny, Place(step, 0), LOOSE)
    assert verdicts(found) == ["rejected", "accepted", "untested", "accepted"]
    assert found.place.step.accepted == (1, 3)
    assert "level 1" in found.told


def test_a_token_that_is_not_predicted_is_a_question_mark(tiny, here):
    config = replace(tiny.config, temperature=1.0)
    low = Standing(0.1, 0.8, None, None)
    nodes = tuple(replace(node, standing=low, draw=0.9) for node in here.step.nodes)
    step = replace(here.step, nodes=nodes)
    found = imagined(replace(tiny, config=config), Place(step, 0), Rule("speculative"))
    assert found.place.step.bonus_id == UNKNOWN
    assert found.trace.token_texts[UNKNOWN] == "?"


def test_what_is_imagined_can_be_drawn(every):
    for name in what_if_rules():
        for node in range(-1, 1 + len(every.steps[1].nodes)):
            found = imagined(every, Place(every.steps[1], node), Rule.parse(name))
            assert draft_tree(found.trace, found.place.step, extent([every])).data


def test_channels_that_need_their_own_rule_do_not_stand_in_the_way(tiny, here):
    stale = replace(tiny, config=replace(tiny.config, reuse=("stale-kv:4",)))
    assert imagined(stale, here, LOOSE).trace.config.rule == LOOSE


def verdicts_in(packet) -> list[str]:
    column = packet["table"]["columns"].index("verdict")
    return [row[column] for row in packet["table"]["rows"]]


def test_a_packet_says_what_the_rule_would_have_done(tiny):
    found = judged(tiny, 1, Rule("seed-threshold", (0.95,)), extent([tiny]))
    assert found["note"].startswith("Under seed-threshold:0.95. The same tokens, ")
    assert verdicts_in(found) == ["rejected", "rejected", "untested", "untested"]


def test_a_rule_that_cannot_be_applied_leaves_the_step_as_recorded(tiny):
    warm = replace(tiny, config=replace(tiny.config, temperature=0.5))
    found = judged(warm, 1, LOOSE, extent([tiny]))
    assert found["note"].startswith("As recorded: the trace was recorded without the figures")
    assert verdicts_in(found) == ["accepted", "rejected", "accepted", "untested"]


def test_how_far_it_goes_is_told_as_the_core_tells_it(every, tiny, here):
    for name in what_if_rules():
        for trace, place in ((every, Place(every.steps[1], 0)), (tiny, here)):
            rule = Rule.parse(name)
            assert imagined(trace, place, rule).told == what_if(place.step, rule, trace.config).told
