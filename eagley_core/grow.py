"""Growing a pool of draft candidates, level by level, without reading anything back.

The pool holds every child that the draft proposed; the trees are cut out of it: EAGLE-1's fixed
one, EAGLE-2's dynamic one (Li et al., 2406.16858, section 4), or the cost model's (`admission`).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.drafting import Children, Coupling, Draft, DraftRows
from eagley_core.tree import FIXED_PATHS, Tree, make_tree


class Pool(NamedTuple):
    """P candidates in order of creation, so a parent always has the lower index."""

    tokens: Tensor  # [P]
    parents: Tensor  # [P] index in the pool; -1 is the root
    log_q: Tensor  # [P] the draft's log probability given the parent
    scores: Tensor  # [P] cumulative log q
    weights: Tensor  # [P] what ranks siblings: log q, or the coupled log-probability
    values: Tensor  # [P] cumulative weights


class _Level(NamedTuple):
    """One level's nodes, `first` being the pool index of the first."""

    children: Pool
    hidden: Tensor  # [n, H] the draft's output at each node's parent
    first: int
    visible: Tensor  # [n, rows so far] bool: the tree rows that each node's parent path ran


Pick = Callable[[int, Tensor], Tensor]
"""From a level's number and its values [n]: which of its nodes go on."""


class Growth(NamedTuple):
    """How a pool is grown: k children per node that goes on."""

    k: int
    pick: Pick
    couplings: Sequence[Coupling | None]  # one per level; as many levels


def grow_pool(draft: Draft, first: Children, growth: Growth) -> Pool:
    """Grow the levels behind the root's children, which are the first."""
    level = _first_level(first)
    pools = [level.children]
    for number, coupling in enumerate(growth.couplings[1:], start=1):
        chosen = growth.pick(number, level.children.values)
        rows = _rows(level, chosen, draft.length + number - 1)
        level = _next_level(level, chosen, rows.mask, draft.extend(rows, growth.k, coupling))
        pools.append(level.children)
    return Pool(*(torch.cat(parts) for parts in zip(*pools, strict=True)))


def widest(k: int) -> Pick:
    """The k best nodes of a level by cumulative weight, older first among equals."""

    def pick(_: int, values: Tensor) -> Tensor:
        return values.sort(descending=True, stable=True).indices[:k]

    return pick


def _first_level(first: Children) -> _Level:
    tokens, log_q, weights = first.tokens[0], first.log_probs[0], first.weights[0]
    children = Pool(tokens, torch.full_like(tokens, -1), log_q, log_q, weights, weights)
    hidden = first.hidden.expand(len(tokens), -1)
    return _Level(
        children, hidden, 0, torch.zeros(len(tokens), 0, dtype=bool, device=tokens.device)
    )


def _rows(level: _Level, chosen: Tensor, position: int) -> DraftRows:
    """The chosen nodes of a level as the draft's input."""
    visible = torch.cat(
        [level.visible[chosen], torch.eye(len(chosen), dtype=bool, device=chosen.device)], dim=1
    )
    positions = torch.full_like(chosen, position)
    return DraftRows(level.hidden[chosen], level.children.tokens[chosen], positions, visible)


def _next_level(level: _Level, chosen: Tensor, visible: Tensor, found: Children) -> _Level:
    rows, width = level.children, found.tokens.shape[1]
    parents = (level.first + chosen).repeat_interleave(width)
    log_q, weights = found.log_probs.flatten(), found.weights.flatten()
    scores, values = (
        above[chosen].repeat_interleave(width) + own
        for above, own in ((rows.scores, log_q), (rows.values, weights))
    )
    return _Level(
        Pool(found.tokens.flatten(), parents, log_q, scores, weights, values),
        found.hidden.repeat_interleave(width, dim=0),
        level.first + len(rows.tokens),
        visible.repeat_interleave(width, dim=0),
    )


class Cut(NamedTuple):
    """A tree cut out of a pool, with the draft's figures of its N - 1 nodes."""

    tree: Tree
    log_q: Tensor  # [N - 1]
    scores: Tensor  # [N - 1]


def cut(pool: Pool, chosen: Tensor, root: int, depth: int) -> Cut:
    """The tree of the chosen pool indices [n], ascending and closed under parents."""
    rows = torch.zeros(len(pool.tokens) + 1, dtype=torch.long, device=chosen.device)
    rows[chosen] = torch.arange(1, len(chosen) + 1, device=chosen.device)
    parents = rows[pool.parents[chosen]]  # index -1 is the last row: the root, 0
    head = torch.tensor([root], device=chosen.device)
    tokens = torch.cat([head, pool.tokens[chosen]])
    tree = make_tree(tokens, torch.cat([torch.zeros_like(head), parents]), depth)
    return Cut(tree, pool.log_q[chosen], pool.scores[chosen])


def dynamic_tree(
    draft: Draft, first: Children, root: int, total: int, couplings: Sequence[Coupling | None]
) -> Cut:
    """EAGLE-2's tree: the `total` best candidates by cumulative weight, one level per coupling.

    A child never weighs more than its parent and ties go to the older node, so the parent of a
    selected node is always selected.
    """
    k = first.tokens.shape[1]
    pool = grow_pool(draft, first, Growth(k, widest(k), couplings))
    best = pool.values.sort(descending=True, stable=True).indices[:total]
    return cut(pool, best.sort().values, root, len(couplings))


def fixed_tree(
    draft: Draft, first: Children, root: int, couplings: Sequence[Coupling | None]
) -> Cut:
    """EAGLE-1's static tree, cut at as many levels as there are couplings."""
    k, depth = first.tokens.shape[1], len(couplings)
    paths = [path for path in FIXED_PATHS if len(path) <= depth and max(path) < k]
    places, fronts = _fixed_places(paths, k)
    device = first.tokens.device

    def pick(number: int, _: Tensor) -> Tensor:
        return torch.tensor(fronts[number - 1], device=device)

    levels = couplings[: max(map(len, paths))]
    pool = grow_pool(draft, first, Growth(k, pick, levels))
    return cut(pool, torch.tensor(places, device=device), root, depth)


def _fixed_places(paths: list[tuple[int, ...]], k: int) -> tuple[list[int], list[list[int]]]:
    """Where a static tree's nodes lie in the pool, and which nodes of each level go on."""
    inner = {path[:-1] for path in paths} - {()}
    place = {(rank,): rank for rank in range(k)}
    start, fronts = k, []
    for depth in range(1, max(map(len, paths))):
        level_start = start - len([p for p in place if len(p) == depth])
        front = sorted((p for p in inner if len(p) == depth), key=place.__getitem__)
        fronts.append([place[p] - level_start for p in front])
        place |= {(*p, r): start + i * k + r for i, p in enumerate(front) for r in range(k)}
        start += len(front) * k
    return sorted(place[path] for path in paths), fronts
