"""What one tree guessed that the other did not, by hand and by its laws."""

from dataclasses import replace

import pytest
from tiny_trace import NODES, node, step

from components.difference import difference, divergences

# The tiny run's step 1 stands at “The” (1) and holds 2, 3, 2-4 and 3-5; its bonus is 6.


def other(tiny, nodes, position=1, root=1):
    return replace(step(1, nodes), position=position, root_id=root)


def found(tiny, ours, theirs):
    return difference(tiny, ours, tiny, theirs)


def test_nothing_differs_from_itself(tiny):
    assert found(tiny, tiny.steps[1], tiny.steps[1]) == ()


def test_paths_are_compared_and_not_tokens(tiny):
    # 4 hangs under 3 here: the same token on another path.
    theirs = other(tiny, (NODES[1], NODES[0], node(0, 2, 4, "untested", 5)))
    assert found(tiny, tiny.steps[1], theirs) == (2, 3)
    assert found(tiny, theirs, tiny.steps[1]) == (2,)


def test_a_later_root_has_committed_what_the_earlier_tree_guessed(tiny):
    # At “ sky” (2), position 2, with the guess 4 again: both are in the earlier tree.
    theirs = other(tiny, (node(-1, 1, 4, "accepted", 6),), position=2, root=2)
    assert found(tiny, tiny.steps[1], theirs) == (1, 3)
    assert found(tiny, theirs, tiny.steps[1]) == ()


def test_the_bonus_is_no_guess(tiny):
    guessed = other(tiny, (node(-1, 1, 6, "accepted", 5),), position=3, root=4)
    assert found(tiny, guessed, tiny.steps[1]) == (0,)


def test_another_text_shares_no_path(tiny):
    theirs = replace(tiny, output_ids=(5, 2, 4, 6), pieces=(" x", " sky", " is", " blue"))
    assert difference(tiny, tiny.steps[1], theirs, tiny.steps[1]) == (0, 1, 2, 3)


def test_without_a_tree_all_of_the_other_is_new(tiny):
    assert found(tiny, tiny.steps[1], tiny.steps[0]) == (0, 1, 2, 3)
    assert found(tiny, tiny.steps[0], tiny.steps[1]) == ()


def test_a_lane_never_diverges_from_itself(sample):
    assert all(divergences(trace, trace) == () for trace in sample.traces)


def test_divergences_are_where_new_pairs_of_different_trees_meet(sample):
    eagle, eagley = sample.lanes["eagle"], sample.lanes["eagley"]
    places = divergences(eagle, eagley)
    assert places == divergences(eagley, eagle)
    assert list(places) == sorted(set(places))
    pairs = [(eagle.emitted[p].step, eagley.emitted[p].step) for p in places]
    assert len(set(pairs)) == len(pairs)
    for mine, yours in pairs:
        a, b = eagle.steps[mine], eagley.steps[yours]
        assert difference(eagle, a, eagley, b) or difference(eagley, b, eagle, a)


@pytest.mark.parametrize("position", [0, 7, 30])
def test_shared_and_own_nodes_make_the_tree(sample, position):
    a, b = sample.lanes["eagle"], sample.lanes["eagley"]
    step_a, step_b = (t.steps[t.emitted[position].step] for t in (a, b))
    own = difference(a, step_a, b, step_b)
    # A child of a node that the other lacks is lacking too.
    for index, node_a in enumerate(step_a.nodes):
        assert node_a.parent not in own or index in own
