from dataclasses import replace

from components.explain import facts, reason
from components.selection import ROOT, Place
from eagley_core.rule import Rule


def test_reasons_by_hand(tiny):
    step = tiny.steps[1]
    assert reason(tiny, step, 0) == "Accepted: it is the token that the target chose there."
    assert reason(tiny, step, 1) == "Rejected: the target chose “·sky” there."
    assert reason(tiny, step, 3) == "Not tested: the path to it left the target's own."


def test_another_rule_is_named_with_what_it_compared(tiny):
    config = replace(tiny.config, rule=Rule("top-k", (2,)), coupled=None)
    ruled, step = replace(tiny, config=config), tiny.steps[1]
    told = reason(ruled, step, 1)
    assert told == "Rejected by the rule top-k:2, which compared 3.0000 with 5.0000."
    assert reason(ruled, step, 3).startswith("Not tested")


def test_origin_is_told(tiny):
    origin = dict(facts(tiny, Place(tiny.steps[1], 2)))["Origin"]
    assert origin == "stored from prompt position 3 of the prefill"


def test_an_origin_of_an_earlier_turn_says_which(tiny):
    later = replace(tiny, turn=1)
    origin = dict(facts(later, Place(later.steps[1], 2)))["Origin"]
    assert origin == "stored from prompt position 3 of the prefill of turn 1"


def test_the_draft_s_score_is_told_or_missed(tiny):
    step = tiny.steps[1]
    assert dict(facts(tiny, Place(step, 0)))["Draft q"] == "50.0%, log q along the path -0.70"
    assert dict(facts(tiny, Place(step, 2)))["Draft q"] == "not scored by the draft"


def test_root_and_bonus_are_explained(tiny):
    assert "Root" in dict(facts(tiny, Place(tiny.steps[1], ROOT)))["Role"]
    assert "Bonus" in dict(facts(tiny, Place(tiny.steps[1], 4)))["Role"]
