"""One generation: the prefill, then step after step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.acceptance import accept
from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig
from eagley_core.contexts import LONGEST
from eagley_core.conversation import Reused
from eagley_core.costs import synchronize
from eagley_core.proposers import Context, Fed, Place, Proposal, Proposer, Vanilla
from eagley_core.readback import Verified, likeliest, read_verified, split
from eagley_core.sampling import Noise, choices, processed, seen_tokens
from eagley_core.seed_literal import read_literally
from eagley_core.shared_rows import SharedRows
from eagley_core.stale import StaleKV
from eagley_core.stale_chain import Moment
from eagley_core.standing import weigh
from eagley_core.steps import StepFacts, Stopwatch
from eagley_core.stopping import Stopping
from eagley_core.store import Kept, Store
from eagley_core.substitution import Substitution
from eagley_core.target import PREFILL_ROWS, Pass, Target
from eagley_core.trace import CacheRun
from eagley_core.tree import Tree
from eagley_core.verify import Verdict


class Ran(NamedTuple):
    """A step's target pass: of every row of the tree, and how many rows were run for it."""

    passed: Pass
    n_rows: int  # padding included
    shared: tuple[int, ...] = ()  # rows whose first layers drafting had run


@dataclass
class Generation:
    """The state of one run. Committed tokens are the prompt and what was emitted."""

    target: Target
    config: DecodeConfig
    invariant: bool
    cache: KVCache
    proposer: Proposer
    shared: SharedRows | None
    store: Store | None
    stale: StaleKV
    substitution: Substitution
    noise: Noise
    stopping: Stopping
    prompt_ids: Sequence[int]
    clock_start: float
    reused: Reused
    turn: int
    features: list[Tensor] = field(default_factory=list)  # of every cached row, in pieces
    output: list[int] = field(default_factory=list)
    fed: Fed | None = None
    n_steps: int = 0
    skewed: tuple[CacheRun, ...] = ()  # cached rows that were not computed for this very text

    @property
    def root_position(self) -> int:
        """The position of the newest committed token."""
        return len(self.prompt_ids) + len(self.output) - 1

    def prefill(self, between: Callable[[], object] = lambda: None) -> StepFacts:
        """Run what the cache lacks of the prompt; the token after it is the output's first.

        between: called between the blocks of a long prompt; what it raises ends the run.
        """
        watch = self._watch()
        place = Place((), self.prompt_ids[-1], self.root_position, 0)
        nothing = Vanilla(self.target.device).propose(Context(place, self.fed))
        watch.lap()
        new_ids = self.prompt_ids[self.reused.n_rows :]
        tokens = torch.tensor(new_ids, device=self.target.device)
        passed = self.target.prefill(tokens, self.cache, self.invariant, between)
        verified = self._verified(nothing, passed.hidden[-1:])
        watch.lap()
        verdict = accept(verified, self.config, self.root_position)
        watch.lap()
        self._recycle_prompt(passed.hidden, verdict.bonus_id, between)
        self.features = [*self.reused.features, passed.features]
        self.fed = Fed(torch.cat(self.features), [*self.prompt_ids[1:], verdict.bonus_id])
        watch.lap()
        last = Ran(Pass(passed.hidden[-1:], passed.features[-1:]), len(new_ids))
        facts = self._facts(nothing, verified, verdict, watch, last)
        self.proposer.learn(facts)
        return facts

    def step(self) -> StepFacts:
        """Grow a tree, run one target pass, accept, commit."""
        watch = self._watch()
        proposal = self.proposer.propose(Context(self.stale.place(self._place()), self.fed))
        proposal = self.stale.graft(proposal, self._place().root)
        behind = len(self.stale.taken)
        self.substitution.before(proposal.tree, self.root_position, behind)
        watch.lap()
        ran = self._run(proposal.tree)
        passed = ran.passed
        verified = self._verified(proposal, passed.hidden)
        watch.lap()
        verdict = accept(verified, self.config, self.root_position, self.stale.taken)
        watch.lap()
        self._commit(verified, passed, verdict)
        self._recycle(verified, verdict)
        watch.lap()
        facts = self._facts(proposal, verified, verdict, watch, ran)
        self.proposer.learn(facts)
        return facts

    def _run(self, tree: Tree) -> Ran:
        """One target pass, without what drafting or an earlier pass has computed of it."""
        if self.shared is not None:
            passed, shared = self.shared.resume(tree)
        else:
            text = [*self.prompt_ids, *self.output]
            passed, shared = self.stale.run(tree, text, self.invariant), ()
        return Ran(passed, self._padded(self.stale.rows_run(len(tree.tokens))), shared)

    def _watch(self) -> Stopwatch:
        return Stopwatch(self.clock_start, lambda: synchronize(self.target.device))

    def _place(self) -> Place:
        *before, root = [*self.prompt_ids[-LONGEST:], *self.output[-LONGEST:]][-LONGEST:]
        position = self.root_position
        return Place(tuple(before), root, position, self.target.context - 1 - position)

    @torch.inference_mode()
    def _verified(self, proposal: Proposal, hidden: Tensor) -> Verified:
        """The target's own token after every row, read back once."""
        tree = proposal.tree
        logits = self.target.logits(hidden).to(tree.tokens.device, torch.float32)
        scores = processed(logits, self.config, self._seen(tree))
        at = self.noise.at(self.root_position + 1, proposal.depth + 1)
        noise, rule = None if at is None else at[tree.depths], self.config.rule
        if rule.name == "seed-literal":
            return read_literally(proposal, scores, at, (*rule.numbers, self.root_position))
        picked = choices(scores, noise)
        scales = None if rule.name == "exact" else weigh(tree, scores, noise, rule)
        return read_verified(proposal, picked, None if self.store is None else logits, scales)

    def _seen(self, tree: Tree) -> Tensor | None:
        if self.config.repetition_penalty == 1:
            return None
        committed = torch.tensor([*self.prompt_ids, *self.output], device=tree.tokens.device)
        return seen_tokens(committed, tree.tokens, tree.mask, self.target.vocab_size)

    def _commit(self, verified: Verified, passed: Pass, verdict: Verdict) -> None:
        room = self._place().max_depth - len(verdict.path) - 1
        self.substitution.after(verdict, self.root_position)
        if self.config.internals:
            self.substitution.compare(passed.hidden)
        accepted = torch.tensor((0, *verdict.path), device=passed.features.device)
        self.features.append(passed.features[accepted])
        next_ids = [*(verified.rows.tokens[row] for row in verdict.path), verdict.bonus_id]
        n_new = self.stale.commit(
            verified.rows, passed, verdict, Moment(self.n_steps, self.turn, room)
        )
        self.fed = self.stale.fed(Fed(self.features[-1][-n_new:], next_ids[-n_new:]))

    def _recycle(self, verified: Verified, verdict: Verdict) -> None:
        """Keep the target's predictions after every verified row, rejected ones too."""
        if self.store is not None:
            before = self._place().before
            kept = Kept(self.n_steps, before, verdict.path, verdict.bonus_id)
            self.store.keep_step(kept, verified.rows, verified.likeliest)

    @torch.inference_mode()
    def _recycle_prompt(self, hidden: Tensor, bonus_id: int, between: Callable[[], object]) -> None:
        """Fill the store from the prefill's positions: they were computed anyway."""
        if self.store is None:
            return
        blocks = []
        for block in hidden.split(PREFILL_ROWS):
            if blocks:
                between()
            blocks.append(likeliest(self.target.logits(block)))
        table = host.read(torch.cat(blocks))
        self.store.keep_prompt(self.prompt_ids, [split(row) for row in table], bonus_id)

    def _facts(
        self,
        proposal: Proposal,
        verified: Verified,
        verdict: Verdict,
        watch: Stopwatch,
        ran: Ran,
    ) -> StepFacts:
        new = [*(verified.rows.tokens[row] for row in verdict.path), verdict.bonus_id]
        self.skewed += verdict.provenances
        ending = self.stopping.cut(self.output, new)
        facts = StepFacts(
            index=self.n_steps,
            position=self.root_position,
            rows=verified.rows,
            labels=proposal.labels,
            path=verdict.path,
            bonus_id=verdict.bonus_id,
            emitted=tuple(new[: ending.emitted]),
            finish=ending.reason,
            n_rows=ran.n_rows,
            draft_passes=proposal.draft_passes,
            store_bytes=(self.store.bytes if self.store else 0) + self.stale.bytes,
            estimate=proposal.estimate,
            laps=watch.laps(),
            hidden=ran.passed.hidden,
            shared=ran.shared,
            turn=self.turn,
            provenances=(
                *self.stale.provenances,
                *self.substitution.provenances,
                *self.skewed,
            ),
            rulings=verdict.rulings,
        )
        self.output += facts.emitted
        self.n_steps += 1
        return facts

    def _padded(self, n_rows: int) -> int:
        """Rows of a pass over n rows, padding included."""
        return max(n_rows, self.target.min_rows) if self.invariant else n_rows
