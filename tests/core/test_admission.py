"""Which candidates are verified, by hand figures."""

import random

import pytest

from eagley_core.admission import Candidate, Outlook, admit, best_first

FLAT = [1.0] * 20


def candidate(value: float, parent: Candidate | None = None, token: int = 0) -> Candidate:
    path = (*(parent.path if parent else ()), token)
    own = ("draft",), len(path), None, None, None, None
    return Candidate(token, parent, path, value, None, *own)


def test_free_rows_are_all_taken():
    found = admit([0.5, 0.3, 0.1], 0.0, FLAT)
    assert found.count == 3
    assert found.estimate.tokens == pytest.approx(1.9)
    assert found.rate == pytest.approx(1.9)


def test_a_node_is_taken_while_it_is_worth_its_row():
    #  rows:        1    2    3    4      tokens: 1, 1.5, 1.8, 1.9
    #  seconds:     1   1.2  1.4  1.6     rates:  1, 1.25, 1.286, 1.1875
    found = admit([0.5, 0.3, 0.1], 0.0, [0, 1.0, 1.2, 1.4, 1.6])
    assert found.count == 2
    assert found.rate == pytest.approx(1.8 / 1.4)
    assert found.estimate.verify_seconds == 1.4


def test_a_step_in_the_costs_is_looked_beyond():
    """The second row doubles the time, and the next four are free: all five together pay."""
    costs = [0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert admit([0.5, 0.4], 0.0, costs).count == 0
    assert admit([0.5, 0.4, 0.3, 0.2, 0.1], 0.0, costs).count == 5


def test_drafting_time_makes_more_nodes_worth_it():
    costs = [0, 1.0, 1.6, 2.2]
    assert admit([0.5, 0.5], 0.0, costs).count == 0
    assert admit([0.5, 0.5], 1.0, costs).count == 2


def test_no_candidate_leaves_the_root():
    found = admit([], 0.25, FLAT)
    assert (found.count, found.estimate.tokens, found.rate) == (0, 1.0, 0.8)


def test_of_equal_rates_the_smaller_pass_wins():
    assert admit([0.0, 0.0], 0.0, FLAT).count == 0


def tree_of(children: dict):
    """An expand function over {parent: [candidates]}."""
    return lambda parent: children.get(parent, ())


def test_the_best_come_first_and_parents_before_children():
    a, b = candidate(0.6), candidate(0.5)
    aa, ab, ba = candidate(0.55, a), candidate(0.1, a), candidate(0.3, b)
    expand = tree_of({None: [a, b], a: [aa, ab], b: [ba]})
    assert best_first(expand, 10) == [a, aa, b, ba, ab]


def test_ties_go_to_the_older_candidate():
    a, b, c = candidate(0.5), candidate(0.5), candidate(0.5)
    aa = candidate(0.5, a)
    assert best_first(tree_of({None: [a, b, c], a: [aa]}), 10) == [a, b, c, aa]


@pytest.mark.parametrize("limit", range(5))
def test_no_more_than_the_limit_are_taken_nor_expanded_in_vain(limit):
    asked = []

    def endless(parent):
        asked.append(parent)
        return [candidate(0.9 * (parent.value if parent else 1), parent)]

    assert len(best_first(endless, limit)) == limit
    assert len(asked) == limit


def test_the_heap_is_not_confused_by_equal_values_of_unequal_candidates():
    many = [candidate(0.5, token=i) for i in range(50)]
    assert [c.token for c in best_first(tree_of({None: many}), 50)] == list(range(50))


def test_candidates_that_cannot_pay_are_not_expanded():
    asked = []

    def endless(parent):
        asked.append(parent)
        return [candidate(0.5 * (parent.value if parent else 1), parent)]

    steep = [0.1 + 1.0 * rows for rows in range(20)]
    #  rates: 1 / 1.1, then 1.5 / 2.1: no row pays
    assert best_first(endless, 10, Outlook(0.0, steep, 10).takes) == []
    assert asked == [None]


@pytest.mark.parametrize("seed", range(200))
def test_what_is_left_out_would_not_have_been_admitted(seed):
    chance = random.Random(seed)
    values = sorted((chance.random() for _ in range(12)), reverse=True)
    costs = [0.0, *sorted(chance.choice((1.0, chance.uniform(1, 4))) for _ in range(13))]
    seconds = chance.uniform(0, 1)
    outlook, taken = Outlook(seconds, costs, 12), []
    for value in values:
        if not outlook.takes(value):
            break
        taken.append(value)
    assert admit(taken, seconds, costs) == admit(values, seconds, costs)
