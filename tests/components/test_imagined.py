"""Another rule on a recorded step, as the page shows it."""

from dataclasses import replace

import pytest

from components.figures.draft_tree import draft_tree, extent
from components.imagined import UNKNOWN, imagined
from components.offers import RECORDED, asked_rule, what_if_rules
from components.panels import trees
from components.panels.panel import Panel
from components.selection import Comparison, Place, Selection, at_node, at_position
from components.stage import judge
from components.verdict import reason
from eagley_core.judge import Standing
from eagley_core.rule import Rule
from eagley_core.what_if import what_if

LOOSE = Rule("seed-threshold", (0.05,))


@pytest.fixture
def here(tiny, chosen):
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
    for name in what_if_rules()[1:]:
        for node in range(-1, 1 + len(every.steps[1].nodes)):
            found = imagined(every, Place(every.steps[1], node), Rule.parse(name))
            assert draft_tree(found.trace, found.place, extent([every])).data


def test_channels_that_need_their_own_rule_do_not_stand_in_the_way(tiny, here):
    stale = replace(tiny, config=replace(tiny.config, reuse=("stale-kv:4",)))
    assert imagined(stale, here, LOOSE).trace.config.rule == LOOSE


def test_the_trees_say_what_the_rule_would_have_done(tiny):
    asked = Selection(1, "eagley", rule=Rule("seed-threshold", (0.95,)))
    head, *_, table = trees.moved(Comparison("tiny", (tiny,)), asked)[4:]
    assert head["note"].startswith("Under seed-threshold:0.95. The same tokens, ")
    assert table["verdict"].tolist() == ["rejected", "rejected", "untested", "untested"]


def test_a_rule_that_cannot_be_applied_leaves_the_step_as_recorded(tiny):
    config = replace(tiny.config, temperature=0.5)
    both = Comparison("tiny", (replace(tiny, config=config),))
    head, *_, table = trees.moved(both, Selection(1, "eagley", rule=LOOSE))[4:]
    assert head["note"].startswith("As recorded: the trace was recorded without the figures")
    assert table["verdict"].tolist() == ["accepted", "rejected", "accepted", "untested"]


def test_the_rule_stays_when_the_selection_moves(tiny, chosen):
    asked = replace(chosen, rule=LOOSE)
    assert at_position(asked, tiny, 2).rule == at_node(asked, tiny, 1).rule == LOOSE


def test_the_asked_rule_is_read_like_on_the_command_line():
    assert asked_rule(RECORDED) is asked_rule(None) is asked_rule(" ") is None
    assert asked_rule(" top-k:2 ") == Rule("top-k", (2,))
    with pytest.raises(ValueError, match="rule must be one of"):
        asked_rule("always")


def test_a_bad_rule_is_one_line_and_changes_nothing(tiny, chosen):
    comparison = Comparison("tiny", (tiny,))
    ask = judge(Panel((), trees.opened, (None,) * 8, trees.moved, ()))
    selection, *parts = ask(comparison, chosen, "top-k:1")
    assert (selection.rule, len(parts)) == (Rule("top-k", (1,)), 8)
    with pytest.warns(UserWarning, match="rule must be one of"):
        assert len(ask(comparison, chosen, "always")) == 9


def test_how_far_it_goes_is_told_as_the_core_tells_it(every, tiny, here):
    for name in what_if_rules()[1:]:
        for trace, place in ((every, Place(every.steps[1], 0)), (tiny, here)):
            rule = Rule.parse(name)
            assert imagined(trace, place, rule).told == what_if(place.step, rule, trace.config).told
