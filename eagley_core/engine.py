"""The engine: one loop that yields steps, whatever proposes the trees."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig
from eagley_core.costs import Costs, measured, synchronize
from eagley_core.draft import EagleDraft
from eagley_core.invariance import Invariance, self_test
from eagley_core.proposers import Context, CostModelTree, Fed, Place, Proposer, ShapedTree, Vanilla
from eagley_core.sampling import Noise, choices, processed, seen_tokens, top_tokens
from eagley_core.steps import Rows, StepFacts, Stopwatch
from eagley_core.stopping import Decode, Ending, Stopping
from eagley_core.store import WIDTH, Entry, Store
from eagley_core.target import PREFILL_ROWS, Pass, Target
from eagley_core.trace import Origin
from eagley_core.tree import FIXED_PATHS, Tree
from eagley_core.verify import Verdict, accept_exact

MAX_TREE_ROWS = 1 + 64


def never() -> bool:
    return False


class Engine:
    """Decodes with one target and, for EAGLE and EAGLEY, one draft.

    `steps` may be called from any thread, but runs one at a time: a second call waits.
    """

    def __init__(
        self, target: Target, draft: EagleDraft | None, eos_ids: Sequence[int], costs_folder: Path
    ) -> None:
        self.target, self.draft = target, draft
        self._eos_ids, self._costs_folder = frozenset(eos_ids), costs_folder
        self._lock = threading.Lock()
        self._cache: KVCache | None = None
        self._costs: dict[bool, Costs] = {}
        if draft is not None:
            target.capture(draft.state_ids)
        self.invariance: Invariance = self_test(target)

    def steps(
        self,
        prompt_ids: Sequence[int],
        config: DecodeConfig,
        decode: Decode,
        cancelled: Callable[[], bool] = never,
    ) -> Iterator[StepFacts]:
        """Decode the prompt; yield the prefill and then every step, as soon as it is known.

        decode: token ids to text, for stop strings. `cancelled` is asked between steps.
        Closing the iterator between steps leaves the engine ready for the next run.
        """
        self._check(prompt_ids, config)
        with self._lock:
            run = self._start(prompt_ids, config, decode)
            facts = run.prefill()
            yield facts
            while facts.finish is None and not cancelled():
                facts = run.step()
                yield facts

    def is_invariant(self, config: DecodeConfig) -> bool:
        """Whether this run's passes are row-invariant: asked for, or by default where possible."""
        return (
            config.numerics or ("invariant" if self.invariance.holds else "fast")
        ) == "invariant"

    def costs(self, invariant: bool) -> Costs:
        """The measured costs of passes on this device."""
        if invariant not in self._costs:
            folder = self._costs_folder
            self._costs[invariant] = measured(self.target, self.draft, invariant, folder)
        return self._costs[invariant]

    def _check(self, prompt_ids: Sequence[int], config: DecodeConfig) -> None:
        if not prompt_ids:
            raise ValueError("the prompt has no tokens")
        if len(prompt_ids) >= self.target.context:
            raise ValueError(
                f"the prompt has {len(prompt_ids)} tokens, the context of {self.target.name} "
                f"holds {self.target.context}"
            )
        if config.method != "vanilla" and self.draft is None:
            raise ValueError(f"method {config.method} needs a draft, and none is loaded")

    def _start(self, prompt_ids: Sequence[int], config: DecodeConfig, decode: Decode) -> "_Run":
        room = self.target.context - len(prompt_ids)
        capacity = len(prompt_ids) + min(config.max_new_tokens, room) + MAX_TREE_ROWS + 1
        if self._cache is None or self._cache.capacity < capacity:
            self._cache = self.target.new_cache(capacity)
        self._cache.length = 0
        store = Store() if config.method == "eagley" and "recycled" in config.reuse else None
        return _Run(
            target=self.target,
            config=config,
            invariant=self.is_invariant(config),
            cache=self._cache,
            proposer=self._proposer(config, store, capacity),
            store=store,
            noise=Noise(config, self.target.vocab_size, self.target.device),
            stopping=Stopping(self._eos_ids, config.stop, config.max_new_tokens, room, decode),
            prompt_ids=list(prompt_ids),
            clock_start=time.perf_counter(),
        )

    def _proposer(self, config: DecodeConfig, store: Store | None, capacity: int) -> Proposer:
        if config.method == "vanilla":
            return Vanilla(self.target.device)
        by_cost = config.tree.kind == "auto"
        costs = self.costs(self.is_invariant(config)) if by_cost else None  # may measure: first
        pool = config.tree.top_k * config.tree.depth + len(FIXED_PATHS)
        self.draft.start(capacity + pool, config.temperature)
        if costs is None:
            return ShapedTree(self.draft, config.tree)
        return CostModelTree(self.draft, config.tree, costs, store)


class _Verified(NamedTuple):
    """One pass, read back to the host."""

    rows: Rows
    top_ids: list[list[int]]  # the target's best next tokens after each row; empty without store
    top_probabilities: list[list[float]]


@dataclass
class _Run:
    """The state of one generation. Committed tokens: the prompt and what was emitted."""

    target: Target
    config: DecodeConfig
    invariant: bool
    cache: KVCache
    proposer: Proposer
    store: Store | None
    noise: Noise
    stopping: Stopping
    prompt_ids: list[int]
    clock_start: float
    output: list[int] = field(default_factory=list)
    fed: Fed | None = None
    n_steps: int = 0

    def prefill(self) -> StepFacts:
        """Run the prompt; the target's own token after it is the first output token."""
        watch = self._watch()
        watch.lap()
        tokens = torch.tensor(self.prompt_ids, device=self.target.device)
        passed = self.target.prefill(tokens, self.cache, self.invariant)
        root = Tree(tokens[-1:], tokens.new_zeros(1), tokens.new_zeros(1), _ones(1, tokens.device))
        last = Pass(passed.hidden[-1:], passed.features[-1:])
        self.cache.length -= 1  # the last prompt token is this step's root
        verified = self._verified(root, last, None)
        watch.lap()
        verdict = Verdict((), verified.rows.choices[0])
        watch.lap()
        self.cache.length += 1
        self._recycle_prompt(passed.hidden)
        self.fed = Fed(passed.features, _shifted(tokens, verdict.bonus_id))
        watch.lap()
        return self._facts(verified.rows, verdict, None, watch, last.hidden)

    def step(self) -> StepFacts:
        """Grow a tree, run one target pass, accept, commit."""
        watch = self._watch()
        proposal = self.proposer.propose(Context(self._place(), self.fed))
        watch.lap()
        tree = proposal.tree
        passed = self.target.run(tree.tokens, tree.depths, tree.mask, self.cache, self.invariant)
        verified = self._verified(tree, passed, proposal)
        watch.lap()
        verdict = accept_exact(verified.rows.tokens, verified.rows.parents, verified.rows.choices)
        watch.lap()
        self._commit(tree, passed, verdict)
        self._recycle(verified, verdict)
        watch.lap()
        facts = self._facts(verified.rows, verdict, proposal, watch, passed.hidden)
        self.proposer.learn(facts)
        return facts

    def _watch(self) -> Stopwatch:
        return Stopwatch(self.clock_start, lambda: synchronize(self.target.device))

    def _place(self) -> Place:
        committed = [*self.prompt_ids[-1:], *self.output[-2:]]
        return Place(committed[-2], committed[-1], self.target.context - 1 - self.cache.length)

    @torch.inference_mode()
    def _verified(self, tree: Tree, passed: Pass, proposal) -> _Verified:
        """The target's own token after every row. The step's one read of the verification."""
        logits = self.target.logits(passed.hidden).to(tree.tokens.device)
        seen = self._seen(tree)
        deepest = 0 if proposal is None else proposal.depth
        noise = self.noise.at(self.cache.length + 1, deepest + 1)
        scores = processed(logits, self.config, seen)
        picked = choices(scores, None if noise is None else noise[tree.depths])
        columns = [tree.tokens, tree.parents, picked]
        none = tree.tokens.new_zeros(0).double()
        figures = (none, none) if proposal is None else (proposal.log_q, proposal.scores)
        parts = [torch.stack([c.double() for c in columns]).flatten(), *figures]
        if self.store is not None:
            parts += [part.flatten() for part in _likeliest(logits)]
        return _unpacked(
            torch.cat([p.double() for p in parts]).tolist(), len(tree.tokens), len(figures[0])
        )

    def _seen(self, tree: Tree) -> Tensor | None:
        if self.config.repetition_penalty == 1:
            return None
        committed = torch.tensor([*self.prompt_ids, *self.output], device=tree.tokens.device)
        return seen_tokens(committed, tree.tokens, tree.mask, self.target.vocab_size)

    def _commit(self, tree: Tree, passed: Pass, verdict: Verdict) -> None:
        kept = (0, *verdict.path)
        self.cache.commit(kept)
        rows = torch.tensor(kept, device=tree.tokens.device)
        self.fed = Fed(passed.features[rows], _shifted(tree.tokens[rows], verdict.bonus_id))

    def _recycle(self, verified: _Verified, verdict: Verdict) -> None:
        """Keep the target's predictions after every verified row, rejected ones too."""
        if self.store is None:
            return
        rows, accepted = verified.rows, {0, *verdict.path}
        before = self._place().before
        contexts = [
            (before if row == 0 else rows.tokens[rows.parents[row]], token)
            for row, token in enumerate(rows.tokens)
        ]
        entries = [
            Entry(ids, probabilities, Origin(self.n_steps, row - 1, row not in accepted))
            for row, (ids, probabilities) in enumerate(
                zip(verified.top_ids, verified.top_probabilities, strict=True)
            )
        ]
        self.store.add(contexts, entries)

    @torch.inference_mode()
    def _recycle_prompt(self, hidden: Tensor) -> None:
        """Fill the store from the prefill's positions: they were computed anyway."""
        if self.store is None:
            return
        start = 1
        for block in hidden[1:].split(PREFILL_ROWS):
            values = torch.cat([part.double() for part in _likeliest(self.target.logits(block))], 1)
            for row, figures in enumerate(values.tolist(), start=start):
                ids = [int(x) for x in figures[:WIDTH]]
                entry = Entry(ids, figures[WIDTH:], Origin(0, row, False))
                self.store.add([(self.prompt_ids[row - 1], self.prompt_ids[row])], [entry])
            start += len(block)

    def _facts(self, rows, verdict: Verdict, proposal, watch: Stopwatch, hidden) -> StepFacts:
        new = [*(rows.tokens[row] for row in verdict.path), verdict.bonus_id]
        ending: Ending = self.stopping.cut(self.output, new)
        position = len(self.prompt_ids) + len(self.output) - 1
        self.output += new[: ending.emitted]
        facts = StepFacts(
            index=self.n_steps,
            position=position,
            rows=rows,
            labels=proposal and proposal.labels,
            path=verdict.path,
            bonus_id=verdict.bonus_id,
            emitted=tuple(new[: ending.emitted]),
            finish=ending.reason,
            n_rows=self._n_rows(len(rows.tokens)) if self.n_steps else len(self.prompt_ids),
            draft_passes=proposal.draft_passes if proposal else 0,
            store_bytes=self.store.bytes if self.store else 0,
            estimate=proposal and proposal.estimate,
            laps=watch.laps(),
            hidden=hidden,
        )
        self.n_steps += 1
        return facts

    def _n_rows(self, n_rows: int) -> int:
        return max(n_rows, self.target.min_rows) if self.invariant else n_rows


def _ones(size: int, device: torch.device) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool, device=device)


def _shifted(tokens: Tensor, last: int) -> Tensor:
    """The tokens after each of these, [n]."""
    return torch.cat([tokens[1:], torch.tensor([last], device=tokens.device)])


def _likeliest(logits: Tensor) -> tuple[Tensor, Tensor]:
    """The target's WIDTH best next tokens and their raw probabilities, [N, WIDTH] each."""
    values, ids = top_tokens(logits, WIDTH)
    return ids, (values.float() - logits.float().logsumexp(-1, keepdim=True)).exp()


def _unpacked(numbers: list[float], n_rows: int, n_figures: int) -> _Verified:
    """Split what was read in one piece."""
    tokens, parents, picked = (
        [int(x) for x in numbers[i * n_rows : (i + 1) * n_rows]] for i in range(3)
    )
    rest = numbers[3 * n_rows :]
    log_q, scores = rest[:n_figures], rest[n_figures : 2 * n_figures]
    top = rest[2 * n_figures :]
    half = n_rows * WIDTH
    ids = [
        [int(x) for x in top[i * WIDTH : (i + 1) * WIDTH]] for i in range(len(top) // WIDTH // 2)
    ]
    odds = [top[half + i * WIDTH : half + (i + 1) * WIDTH] for i in range(len(ids))]
    return _Verified(
        Rows(tokens, parents, picked, *([_or_none(x) for x in f] for f in (log_q, scores))),
        ids,
        odds,
    )


def _or_none(number: float) -> float | None:
    return None if number != number else number
