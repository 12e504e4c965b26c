"""The cost model's tree: the draft's candidates and EAGLEY's guesses, weighed alike."""

from collections.abc import Sequence

import torch

from eagley_core.admission import Admission, Candidate, Expand, Outlook, admit, best_first
from eagley_core.candidates import EMPTY_POOL, CandidateSources, HostPool, Place, read_pool
from eagley_core.config import TreeShape
from eagley_core.costs import Costs
from eagley_core.drafting import Couplings, Draft
from eagley_core.grow import Growth, grow_pool, widest
from eagley_core.guesses import Guesser
from eagley_core.hints import Hints
from eagley_core.pace import Pace, Thrift
from eagley_core.proposers import Context, Fed, Proposal
from eagley_core.steps import Label, StepFacts
from eagley_core.tree import make_tree

SURE = 0.6  # below it for the best stored node, a step without drafting was never worth it


class Drafting:
    """The draft's pools, and what was committed since the draft was last fed."""

    def __init__(self, draft: Draft | None, k: int, couplings: Couplings) -> None:
        self._draft, self._k, self._couplings = draft, k, couplings
        self._unfed: list[Fed] = []

    @property
    def is_possible(self) -> bool:
        return self._draft is not None

    def skip(self, fed: Fed) -> None:
        """Do without the draft in this step; it is fed when it is next needed."""
        self._unfed.append(fed)

    def pool(self, fed: Fed, place: Place, depth: int) -> HostPool:
        """Candidates of `depth` levels; without a draft, or a level, there are none."""
        if self._draft is None:
            return EMPTY_POOL
        parts, self._unfed = [*self._unfed, fed], []
        features = torch.cat([part.features for part in parts])
        next_ids = [token for part in parts for token in part.next_ids]
        couplings = self._couplings.at(place.position + 1, max(depth, 1))
        first = self._draft.feed(features, next_ids, self._k, couplings[0])
        if depth == 0:
            return EMPTY_POOL
        growth = Growth(self._k, widest(self._k), couplings)
        return read_pool(grow_pool(self._draft, first, growth), couplings[0] is not None)


class CostModelTree:
    """The candidates worth their rows, at the drafting depth that has been worth its time."""

    def __init__(self, draft: Draft | None, shape: TreeShape, costs: Costs, hints: Hints) -> None:
        self._costs, self._hints = costs, hints
        self._drafting = Drafting(draft, shape.top_k, hints.couplings)
        self._limit = min(shape.total, len(costs.verify) - 2)
        self._pace, self._thrift = Pace(shape.depth), Thrift()

    def propose(self, context: Context) -> Proposal:
        costs = self._costs.behind(context.place.position)
        depth = min(self._pace.depth, context.place.max_depth) if self._drafting.is_possible else 0
        may_skip = self._hints.pool and depth and not self._hints.as_many_drafted
        lone = self._without_draft(context.place, costs) if may_skip else None
        if lone and self._thrift.skips(lone[1], depth, costs):
            self._drafting.skip(context.fed)
            return _proposal(lone[0], context, 0, lone[1])
        pool = self._drafting.pool(context.fed, context.place, depth)
        outlook = Outlook(costs.draft_seconds(depth), costs.verify, self._limit)
        ordered = best_first(self._expand(pool, context.place), self._limit, outlook.takes)
        admission = self._admitted(ordered, depth, costs)
        if lone:
            self._thrift.note(lone[1], admission)
        if self._hints.pool:
            self._hints.pool.keep(pool)
        if self._hints.as_many_drafted:
            ordered = best_first(self._expand(pool, context.place, ()), admission.count)
        return _proposal(ordered[: admission.count], context, depth, admission)

    def _without_draft(
        self, place: Place, costs: Costs
    ) -> tuple[list[Candidate], Admission] | None:
        """The tree of stored nodes alone; None where its first is not sure enough to be asked."""
        expand = self._expand(EMPTY_POOL, place)
        best = best_first(expand, 1)
        if not best or best[0].value < SURE:
            return None
        ordered = best_first(expand, self._limit, Outlook(0.0, costs.verify, self._limit).takes)
        admission = admit([c.value for c in ordered], 0.0, costs.verify)
        return ordered[: admission.count], admission

    def _expand(
        self, pool: HostPool, place: Place, guessers: Sequence[Guesser] | None = None
    ) -> Expand:
        """The children of any candidate. guessers: where not all that the run has."""
        own = self._hints.guessers if guessers is None else guessers
        return CandidateSources(pool, own, self._hints.calibration, place).expand

    def _admitted(self, ordered: list[Candidate], depth: int, costs: Costs) -> Admission:
        """Weigh every drafting depth up to this one, so that the next step knows the best.

        ordered: as far as they pay at `depth`; what a lower one alone would take is not among them.
        """
        by_depth = {}
        for levels in range(min(1, depth), depth + 1):
            values = [c.value for c in ordered if c.level <= levels]
            by_depth[levels] = admit(values, costs.draft_seconds(levels), costs.verify)
        if depth:
            self._pace.note({levels: found.rate for levels, found in by_depth.items()})
        return by_depth[depth]

    def learn(self, facts: StepFacts) -> None:
        """Count every node whose parent was accepted as a hit or a miss of its evidence."""
        for guesser in self._hints.guessers:
            guesser.learn(facts)
        accepted = {0, *facts.path}
        self._hints.calibration.learn(
            (label.evidence, row in accepted)
            for row, label in enumerate(facts.labels or (), start=1)
            if label.evidence and facts.rows.parents[row] in accepted
        )


def _proposal(
    chosen: list[Candidate], context: Context, depth: int, admission: Admission
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
