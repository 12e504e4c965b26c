from components.explain import facts
from components.selection import ROOT, Place


def test_origin_is_told(tiny):
    origin = dict(facts(tiny, Place(tiny.steps[1], 2)))["Kept from"]
    assert origin == "prompt position 3 of the prefill, this turn: a row that stayed"


def test_an_origin_of_an_earlier_turn_says_which_and_whether_it_was_rejected(every):
    step = every.steps[1]
    told = [dict(facts(every, Place(step, node))).get("Kept from") for node in (4, 5, 6, 8)]
    assert told == [
        "node 2 of step 3, turn 1: a row that had been rejected",
        "node 2 of step 3, turn 1: a row that stayed",
        None,
        "the draft's own pool, no row of the target",
    ]


def test_the_draft_s_score_is_told_or_missed(tiny):
    step = tiny.steps[1]
    assert dict(facts(tiny, Place(step, 0)))["Draft q"] == "50.0%, log q along the path -0.70"
    assert dict(facts(tiny, Place(step, 2)))["Draft q"] == "not scored by the draft"


def test_root_and_bonus_are_explained(tiny):
    assert "Root" in dict(facts(tiny, Place(tiny.steps[1], ROOT)))["Role"]
    assert "Bonus" in dict(facts(tiny, Place(tiny.steps[1], 4)))["Role"]
