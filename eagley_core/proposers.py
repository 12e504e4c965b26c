"""Who proposes a step's tree: nobody (vanilla), or the draft with a tree of a given shape.

The cost model over all sources is in `cost_tree`.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from eagley_core.candidates import Place
from eagley_core.config import TreeShape
from eagley_core.drafting import Couplings, Draft
from eagley_core.grow import dynamic_tree, fixed_tree
from eagley_core.steps import Label, StepFacts
from eagley_core.trace import Estimate
from eagley_core.tree import FIXED_PATHS, Tree, root_only


class Fed(NamedTuple):
    """What was committed since the last proposal: n rows."""

    features: Tensor  # [n, S, Ht]
    next_ids: Sequence[int]  # the token after each row


class Context(NamedTuple):
    """Where a step starts."""

    place: Place
    fed: Fed


class Proposal(NamedTuple):
    """A tree to verify. log_q and scores [N - 1] are the draft's; NaN where it has none."""

    tree: Tree
    log_q: Tensor
    scores: Tensor
    labels: Sequence[Label] | None
    depth: int  # no node lies deeper
    draft_passes: int
    estimate: Estimate | None


class Proposer(Protocol):
    """Proposes a tree per step and learns from what became of it."""

    def propose(self, context: Context) -> Proposal: ...

    def learn(self, facts: StepFacts) -> None: ...


class Vanilla:
    """Proposes nothing: one target pass per token."""

    def __init__(self, device: torch.device) -> None:
        self._nothing = torch.zeros(0, device=device)
        self._device = device

    def propose(self, context: Context) -> Proposal:
        tree = root_only(context.place.root, self._device)
        return Proposal(tree, self._nothing, self._nothing, None, 0, 0, None)

    def learn(self, facts: StepFacts) -> None:
        """Nothing to learn."""


class ShapedTree:
    """EAGLE with a tree of a given shape; nothing is read back while it grows."""

    def __init__(self, draft: Draft, shape: TreeShape, couplings: Couplings) -> None:
        self._draft, self._shape, self._couplings = draft, shape, couplings

    def propose(self, context: Context) -> Proposal:
        fixed = self._shape.kind == "fixed"
        k = max(map(max, FIXED_PATHS)) + 1 if fixed else self._shape.top_k
        longest = max(map(len, FIXED_PATHS)) if fixed else self._shape.depth
        depth, root = min(longest, context.place.max_depth), context.place.root
        couplings = self._couplings.at(context.place.position + 1, max(depth, 1))
        first = self._draft.feed(*context.fed, k, couplings[0])
        if depth == 0:
            return Vanilla(first.tokens.device).propose(context)
        if fixed:
            found = fixed_tree(self._draft, first, root, couplings)
        else:
            found = dynamic_tree(self._draft, first, root, self._shape.total, couplings)
        return Proposal(found.tree, found.log_q, found.scores, None, depth, depth, None)

    def learn(self, facts: StepFacts) -> None:
        """Nothing to learn."""
