"""Growing a pool of draft candidates, level by level, without reading anything back.

The pool holds every child that the draft proposed; the trees are cut out of it: EAGLE-1's fixed
one, EAGLE-2's dynamic one (Li et al., 2406.16858, section 4), or the cost model's (`admission`).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.drafting import Children, Draft, DraftRows
from eagley_core.tree import FIXED_PATHS, Tree, make_tree


class Pool(NamedTuple):
    """P candidates in order of creation, so a parent always has the lower index."""

    tokens: Tensor  # [P]
    parents: Tensor  # [P] index in the pool; -1 is the root
    log_q: Tensor  # [P] the draft's log probability given the parent
    scores: Tensor  # [P] cumulative log q


class _Level(NamedTuple):
    """One level's nodes, `first` being the pool index of the first."""

    children: Pool
    hidden: Tensor  # [n, H] the draft's output at each node's parent
    first: int
    visible: Tensor  # [n, rows so far] bool: the tree rows that each node's parent path ran


Pick = Callable[[int, Tensor], Tensor]
"""From a level's number and its scores [n]: which of its nodes go on."""


def grow_pool(draft: Draft, first: Children, depth: int, k: int, pick: Pick) -> Pool:
    """Grow `depth` levels from the root's children, k children per node that goes on."""
    level = _first_level(first)
    pools = [level.children]
    for number in range(1, depth):
        chosen = pick(number, level.children.scores)
        level = _next_level(draft, level, chosen, k, draft.length + number - 1)
        pools.append(level.children)
    return Pool(*(torch.cat(parts) for parts in zip(*pools, strict=True)))


def widest(k: int) -> Pick:
    """The k best nodes of a level by cumulative score, older first among equals."""

    def pick(_: int, scores: Tensor) -> Tensor:
        return scores.sort(descending=True, stable=True).indices[:k]

    return pick


def _first_level(first: Children) -> _Level:
    tokens, log_q = first.tokens[0], first.log_probs[0]
    children = Pool(tokens, torch.full_like(tokens, -1), log_q, log_q)
    hidden = first.hidden.expand(len(tokens), -1)
    return _Level(
        children, hidden, 0, torch.zeros(len(tokens), 0, dtype=bool, device=tokens.device)
    )


def _next_level(draft: Draft, level: _Level, chosen: Tensor, k: int, position: int) -> _Level:
    rows = level.children
    visible = torch.cat(
        [level.visible[chosen], torch.eye(len(chosen), dtype=bool, device=chosen.device)], dim=1
    )
    positions = torch.full_like(chosen, position)
    found = draft.extend(
        DraftRows(level.hidden[chosen], rows.tokens[chosen], positions, visible), k
    )
    width = found.tokens.shape[1]
    parents = (level.first + chosen).repeat_interleave(width)
    log_q = found.log_probs.flatten()
    scores = rows.scores[chosen].repeat_interleave(width) + log_q
    return _Level(
        Pool(found.tokens.flatten(), parents, log_q, scores),
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


def dynamic_tree(draft: Draft, first: Children, root: int, depth: int, total: int) -> Cut:
    """EAGLE-2's tree: the `total` best candidates by cumulative score.

    A child never scores above its parent and ties go to the older node, so the parent of a
    selected node is always selected.
    """
    k = first.tokens.shape[1]
    pool = grow_pool(draft, first, depth, k, widest(k))
    best = pool.scores.sort(descending=True, stable=True).indices[:total]
    return cut(pool, best.sort().values, root, depth)


def fixed_tree(draft: Draft, first: Children, root: int, depth: int) -> Cut:
    """EAGLE-1's static tree, cut at `depth` levels."""
    k = first.tokens.shape[1]
    paths = [path for path in FIXED_PATHS if len(path) <= depth and max(path) < k]
    places, fronts = _fixed_places(paths, k)
    device = first.tokens.device

    def pick(number: int, _: Tensor) -> Tensor:
        return torch.tensor(fronts[number - 1], device=device)

    pool = grow_pool(draft, first, max(map(len, paths)), k, pick)
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
