"""Who proposes a step's tree: nobody (vanilla), the draft alone, or the cost model over sources."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from eagley_core.admission import Admission, Candidate, admit, best_first
from eagley_core.candidates import EMPTY_POOL, CandidateSources, HostPool, Place, read_pool
from eagley_core.config import TreeShape
from eagley_core.conversation import Memory
from eagley_core.costs import Costs
from eagley_core.drafting import Couplings, Draft
from eagley_core.grow import Growth, dynamic_tree, fixed_tree, grow_pool, widest
from eagley_core.pace import Pace
from eagley_core.steps import Label, StepFacts
from eagley_core.trace import Estimate
from eagley_core.tree import FIXED_PATHS, Tree, make_tree, root_only


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


class CostModelTree:
    """The draft's candidates, and the store's where there is one, weighed by the cost model."""

    def __init__(
        self,
        draft: Draft | None,
        shape: TreeShape,
        costs: Costs,
        memory: Memory,
        couplings: Couplings,
    ) -> None:
        self._draft, self._shape, self._costs = draft, shape, costs
        self._store, self._calibration = memory
        self._couplings = couplings
        self._pace = Pace(shape.depth)

    def propose(self, context: Context) -> Proposal:
        pool, depth = self._drafted(context)
        sources = CandidateSources(pool, self._store, self._calibration, context.place)
        ordered = best_first(sources.expand, min(self._shape.total, len(self._costs.verify) - 2))
        admission = self._admitted(ordered, depth)
        return _proposal(ordered[: admission.count], context, depth, admission)

    def _drafted(self, context: Context) -> tuple[HostPool, int]:
        """The draft's candidates and how deep they go; without a draft there are none."""
        if self._draft is None:
            return EMPTY_POOL, 0
        k, place = self._shape.top_k, context.place
        depth = min(self._pace.depth, place.max_depth)
        couplings = self._couplings.at(place.position + 1, max(depth, 1))
        first = self._draft.feed(*context.fed, k, couplings[0])
        if depth == 0:
            return EMPTY_POOL, 0
        return read_pool(grow_pool(self._draft, first, Growth(k, widest(k), couplings))), depth

    def _admitted(self, ordered: list[Candidate], depth: int) -> Admission:
        """Weigh every drafting depth up to this one, so that the next step knows the best."""
        by_depth = {}
        for levels in range(min(1, depth), depth + 1):
            values = [c.value for c in ordered if c.level <= levels]
            by_depth[levels] = admit(values, self._costs.draft_seconds(levels), self._costs.verify)
        if depth:
            self._pace.note({levels: found.rate for levels, found in by_depth.items()})
        return by_depth[depth]

    def learn(self, facts: StepFacts) -> None:
        """Count every node whose parent was accepted as a hit or a miss of its sources."""
        if facts.labels is None:
            return
        accepted = {0, *facts.path}
        self._calibration.learn(
            (evidence, row in accepted)
            for row, label in enumerate(facts.labels, start=1)
            if facts.rows.parents[row] in accepted
            for evidence in label.evidence
        )


def _proposal(
    chosen: list[Candidate],
    context: Context,
    depth: int,
    admission: Admission,
) -> Proposal:
    """Put the chosen candidates, best first, on the target's device."""
    device = context.fed.features.device
    rows = {None: 0} | {candidate: row for row, candidate in enumerate(chosen, start=1)}
    tokens = torch.tensor([context.place.root, *(c.token for c in chosen)], device=device)
    parents = torch.tensor([0, *(rows[c.parent] for c in chosen)], device=device)
    deepest = max((c.depth for c in chosen), default=0)
    figures = torch.tensor(
        [[_or_nan(c.log_q), _or_nan(c.score)] for c in chosen], device=device
    ).reshape(-1, 2)
    labels = [Label(c.sources, c.value, c.evidence, c.origin) for c in chosen]
    tree = make_tree(tokens, parents, deepest)
    return Proposal(tree, *figures.unbind(1), labels, deepest, depth, admission.estimate)


def _or_nan(number: float | None) -> float:
    return float("nan") if number is None else number
