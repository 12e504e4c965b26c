"""Draft trees as tensors: row 0 is the root, every row follows its parent."""

from typing import NamedTuple

import torch
from torch import Tensor

# EAGLE-1's static tree: each node as the ranks of its path from the root
# (Li et al., EAGLE (2401.15077), section 4; `mc_sim_7b_63` of its code).
FIXED_PATHS = (
    *((0,), (1,), (2,), (3,)),
    *((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0)),
    *((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 1, 1), (0, 2, 0), (0, 2, 1), (1, 0, 0)),
    *((0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 2)),
    *((0, 0, 0, 0, 0), (0, 0, 0, 0, 1)),
)


class Tree(NamedTuple):
    """N rows of one target pass, on the target's device."""

    tokens: Tensor  # [N]
    parents: Tensor  # [N] row of the parent; the root is its own
    depths: Tensor  # [N] 0 for the root
    mask: Tensor  # [N, N] bool: which rows each row sees: itself and its ancestors


def make_tree(tokens: Tensor, parents: Tensor, depth: int) -> Tree:
    """Complete a tree from its rows. `depth` bounds the longest path; nothing is read back."""
    mask = torch.eye(len(tokens), dtype=torch.bool, device=tokens.device)
    ancestors = parents
    for _ in range(depth):
        mask = mask.scatter(1, ancestors[:, None], True)
        ancestors = parents[ancestors]
    return Tree(tokens, parents, mask.sum(1) - 1, mask)


def root_only(token: int, device: torch.device) -> Tree:
    """The tree of vanilla decoding."""
    return make_tree(torch.tensor([token], device=device), torch.tensor([0], device=device), 0)
