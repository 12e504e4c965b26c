"""Trees and verdicts by hand."""

from collections import Counter

import torch

from eagley_core.tree import FIXED_PATHS, make_tree, root_only
from eagley_core.verify import Verdict, accept_exact


def test_a_trees_mask_and_depths_by_hand():
    #      0
    #     / \
    #    1   2
    #   / \   \
    #  3   4   5
    #      |
    #      6
    tree = make_tree(torch.arange(7) + 10, torch.tensor([0, 0, 0, 1, 1, 2, 4]), 3)
    assert tree.mask.int().tolist() == [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 0],
        [1, 1, 0, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 0, 0],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 0, 0, 1, 0, 1],
    ]
    assert tree.depths.tolist() == [0, 1, 1, 2, 2, 2, 3]


def test_a_depth_larger_than_needed_changes_nothing():
    tokens, parents = torch.arange(4), torch.tensor([0, 0, 1, 2])
    assert torch.equal(make_tree(tokens, parents, 3).mask, make_tree(tokens, parents, 60).mask)


def test_vanillas_tree_is_its_root():
    tree = root_only(7, torch.device("cpu"))
    assert [part.tolist() for part in tree] == [[7], [0], [0], [[True]]]


def test_the_fixed_tree_has_the_published_counts_by_depth():
    assert Counter(map(len, FIXED_PATHS)) == {1: 4, 2: 8, 3: 8, 4: 3, 5: 2}


def test_the_fixed_tree_is_closed_under_parents_and_has_no_doubles():
    assert len(set(FIXED_PATHS)) == 25
    assert {path[:-1] for path in FIXED_PATHS} <= {(), *FIXED_PATHS}


# The tokens of the tree:    5
#                           / \
#                          7   8
#                         / \   \
#                        7   9   7
TOKENS, PARENTS = [5, 7, 8, 7, 9, 7], [0, 0, 0, 1, 1, 2]


def test_the_path_follows_the_targets_tokens_to_the_leaf():
    assert accept_exact(TOKENS, PARENTS, [7, 9, 0, 0, 3, 0]) == Verdict((1, 4), 3)


def test_the_path_ends_where_no_child_has_the_targets_token():
    assert accept_exact(TOKENS, PARENTS, [8, 9, 4, 0, 0, 0]) == Verdict((2,), 4)
    assert accept_exact(TOKENS, PARENTS, [6, 7, 7, 7, 7, 7]) == Verdict((), 6)


def test_a_token_elsewhere_in_the_tree_does_not_count():
    assert accept_exact(TOKENS, PARENTS, [9, 0, 0, 0, 0, 0]) == Verdict((), 9)


def test_of_twins_the_older_is_accepted():
    assert accept_exact([1, 4, 4, 6, 6], [0, 0, 0, 2, 1], [4, 6, 6, 0, 2]) == Verdict((1, 4), 2)


def test_a_root_alone_gives_its_own_token():
    assert accept_exact([5], [0], [3]) == Verdict((), 3)
