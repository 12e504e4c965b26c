"""Trees cut out of a draft's pool, on a draft whose figures are written by hand."""

import math

import pytest
import torch

from eagley_core.drafting import Children, DraftRows
from eagley_core.grow import (
    Growth,
    Pool,
    _fixed_places,
    cut,
    dynamic_tree,
    fixed_tree,
    grow_pool,
    widest,
)
from eagley_core.tree import FIXED_PATHS


class ToyDraft:
    """Proposes token t * 10 + rank after token t, with the same odds at every node."""

    length = 5

    def __init__(self, odds: list[float]) -> None:
        self._log_q = torch.tensor(odds).log()
        self.levels: list[DraftRows] = []

    def first(self, root: int = 0) -> Children:
        return self._children(torch.tensor([root]))

    def extend(self, rows: DraftRows, k: int, coupling: object) -> Children:
        self.levels.append(rows)
        return self._children(rows.tokens)

    def _children(self, tokens: torch.Tensor) -> Children:
        k = len(self._log_q)
        ranks = torch.arange(1, k + 1)
        hidden = tokens[:, None].float()
        log_q = self._log_q.expand(len(tokens), -1)
        return Children(tokens[:, None] * 10 + ranks, log_q, log_q, hidden)


def paths(tokens: list[int]) -> set[tuple[int, ...]]:
    """A toy token's digits are the ranks of its path, from 1."""
    return {tuple(int(digit) - 1 for digit in str(token)) for token in tokens}


def test_the_dynamic_tree_takes_the_best_cumulative_scores():
    #  Odds 0.6, 0.3: the best six of two levels of two, four of them expanded.
    draft = ToyDraft([0.6, 0.3])
    found = dynamic_tree(draft, draft.first(), 0, 6, [None] * 3)
    #  0.6, 0.36, 0.3, 0.216, 0.18 (1,2), 0.18 (2,1): both ties fit
    assert found.tree.tokens.tolist() == [0, 1, 2, 11, 12, 21, 111]
    assert found.tree.parents.tolist() == [0, 0, 0, 1, 1, 2, 3]
    scores = [math.log(p) for p in (0.6, 0.3, 0.36, 0.18, 0.18, 0.216)]
    assert found.scores.tolist() == pytest.approx(scores, rel=1e-6)
    assert found.log_q.exp().tolist() == pytest.approx([0.6, 0.3, 0.6, 0.3, 0.6, 0.6], rel=1e-6)


@pytest.mark.parametrize("total", range(1, 37))
@pytest.mark.parametrize("odds", [[1.0, 1.0, 1.0], [1.0, 0.5, 0.5], [1 / 3] * 3])
def test_a_dynamic_tree_with_tied_scores_is_closed_under_parents(odds, total):
    """With certain children a child scores as much as its parent: the older one goes first."""
    draft = ToyDraft(odds)
    found = dynamic_tree(draft, draft.first(), 0, min(total, 30), [None] * 4)
    tokens, parents = found.tree.tokens.tolist(), found.tree.parents.tolist()
    for token, parent in zip(tokens[1:], parents[1:], strict=True):
        assert tokens[parent] == token // 10
    assert len(set(tokens)) == len(tokens) == 1 + min(total, 30)


def test_every_level_goes_on_from_its_best_nodes_only():
    draft = ToyDraft([0.6, 0.3])
    grow_pool(draft, draft.first(), Growth(2, widest(2), [None] * 3))
    assert [level.tokens.tolist() for level in draft.levels] == [[1, 2], [11, 12]]


def test_a_level_sees_its_own_ancestors_and_itself_and_sits_at_its_depth():
    draft = ToyDraft([0.6, 0.3])
    grow_pool(draft, draft.first(), Growth(2, widest(2), [None] * 4))
    masks = [level.mask.int().tolist() for level in draft.levels]
    assert masks[0] == [[1, 0], [0, 1]]
    assert masks[1] == [[1, 0, 1, 0], [1, 0, 0, 1]]  # 11 and 12, both below 1
    assert masks[2] == [[1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1]]  # 111 and 112
    assert [level.positions.tolist() for level in draft.levels] == [[5, 5], [6, 6], [7, 7]]


def test_a_level_starts_from_the_drafts_output_at_its_parents():
    draft = ToyDraft([0.6, 0.3])
    grow_pool(draft, draft.first(3), Growth(2, widest(2), [None] * 3))
    assert [level.hidden.flatten().tolist() for level in draft.levels] == [[3, 3], [31, 31]]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_fixed_tree_is_the_published_one_cut_at_its_depth(depth):
    draft = ToyDraft([0.4, 0.3, 0.2, 0.1])
    found = fixed_tree(draft, draft.first(), 0, [None] * depth)
    wanted = {path for path in FIXED_PATHS if len(path) <= depth}
    assert paths(found.tree.tokens.tolist()[1:]) == wanted
    assert found.tree.depths.max() == depth
    for token, parent in zip(found.tree.tokens[1:], found.tree.parents[1:], strict=True):
        assert found.tree.tokens[parent] == token // 10


def test_the_fixed_tree_runs_only_nodes_that_have_children():
    draft = ToyDraft([0.4, 0.3, 0.2, 0.1])
    fixed_tree(draft, draft.first(), 0, [None] * 5)
    fronts = [level.tokens.tolist() for level in draft.levels]
    assert fronts == [[1, 2, 3, 4], [11, 12, 13, 21], [111], [1111]]


def test_the_fixed_tree_of_a_narrow_draft_keeps_the_paths_that_it_has():
    draft = ToyDraft([0.7, 0.3])
    found = fixed_tree(draft, draft.first(), 0, [None] * 5)
    assert paths(found.tree.tokens.tolist()[1:]) == {p for p in FIXED_PATHS if max(p) < 2}


def test_places_of_a_small_static_tree_by_hand():
    """The pool: ranks 0, 1; then 00, 01, 10, 11; then 010, 011."""
    shape = [(0,), (1,), (0, 1), (1, 0), (0, 1, 0)]
    assert _fixed_places(shape, 2) == ([0, 1, 3, 4, 6], [[0, 1], [1]])


def test_cutting_renumbers_parents_and_keeps_the_figures():
    pool = Pool(
        torch.tensor([1, 2, 11, 12, 21, 22]),
        torch.tensor([-1, -1, 0, 0, 1, 1]),
        torch.arange(6.0),
        torch.arange(6.0) * 2,
        torch.zeros(6),
        torch.zeros(6),
    )
    found = cut(pool, torch.tensor([1, 4, 5]), 9, 2)
    assert found.tree.tokens.tolist() == [9, 2, 21, 22]
    assert found.tree.parents.tolist() == [0, 0, 1, 1]
    assert found.log_q.tolist() == [1, 4, 5]
    assert found.scores.tolist() == [2, 8, 10]
