"""The engine: one loop that yields steps, whatever proposes the trees."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from eagley_core.cache import KVCache
from eagley_core.calibration import Calibration
from eagley_core.config import DecodeConfig
from eagley_core.conversation import Conversation, Memory
from eagley_core.cost_tree import CostModelTree
from eagley_core.costs import Costs
from eagley_core.drafting import Couplings, Draft, DraftStart
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.frozen import Frozen
from eagley_core.generation import Generation
from eagley_core.hints import Hints, hints_of
from eagley_core.invariance import Invariance, self_test
from eagley_core.kv_errors import with_internals
from eagley_core.measuring import measured
from eagley_core.prior import Prior
from eagley_core.proposers import Proposer, ShapedTree, Vanilla
from eagley_core.reuse import is_exact, value_of
from eagley_core.sampling import Noise
from eagley_core.shared_rows import SharedRows
from eagley_core.stale import StaleKV
from eagley_core.steps import StepFacts
from eagley_core.stopping import Decode, Stopping
from eagley_core.store import Store
from eagley_core.substitution import Substitution, misfit
from eagley_core.target import Target
from eagley_core.tree import FIXED_PATHS
from eagley_core.watched import WatchedDraft


def never() -> bool:
    return False


class Engine:
    """Decodes with one target and, for EAGLE and EAGLEY, one draft.

    `steps` may be called from any thread, but runs one at a time: a second thread waits.
    """

    def __init__(
        self,
        target: Target,
        draft: Draft | None,
        eos_ids: Sequence[int],
        costs_folder: Path,
        prior: Prior | None = None,
    ) -> None:
        """prior: what is known of this draft's candidates before a run has shown anything."""
        self.target, self.draft, self.prior = target, draft, prior
        self.eos_ids, self._costs_folder = frozenset(eos_ids), costs_folder
        self._lock = threading.Lock()
        self._holder: int | None = None  # the thread whose run is open
        self._cache: KVCache | None = None
        self._costs: dict[bool, Costs] = {}
        self._frozen: Frozen | None = None
        if draft is not None:
            target.capture(draft.state_ids)
        self.invariance: Invariance = self_test(target)

    def steps(
        self,
        prompt_ids: Sequence[int],
        config: DecodeConfig,
        decode: Decode,
        cancelled: Callable[[], bool] = never,
        conversation: Conversation | None = None,
    ) -> Iterator[StepFacts]:
        """Decode the prompt; yield the prefill and then every step, as soon as it is known.

        decode: token ids to text, for stop strings. `cancelled` is asked when the engine is
        free, between the blocks of a long prompt, and between steps: who gave up before the
        first of them gets none.
        conversation: the chat that this is a turn of; None: a chat of one turn.
        Closing the iterator between steps leaves the engine ready for the next run.
        """
        self._check(prompt_ids, config)
        with self.alone():
            if cancelled():
                return
            chat = conversation or Conversation(self._memory(), self._cache)
            run = self._start(prompt_ids, config, decode, chat)
            if conversation is None:
                self._cache = chat.cache
            try:
                steps = _every_step(run, cancelled)
                yield from with_internals(run, steps) if config.internals else steps
            finally:
                exact = is_exact(config.reuse) and config.rule.name != "seed-literal"
                chat.end([*prompt_ids, *run.output], run.features if exact else ())

    def conversation(self) -> Conversation:
        """A chat of several turns: `steps` takes it along, and one turn continues the other."""
        return Conversation(self._memory())

    def _memory(self) -> Memory:
        if self._frozen:
            return Memory(Store(), Calibration.frozen(self._frozen.counts, self.prior))
        return Memory(Store(), Calibration(self.prior))

    def freeze(self, frozen: Frozen) -> None:
        """From now on decide by these costs and this calibration; measure and learn nothing."""
        self._frozen = frozen

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the engine. A second run of the same thread would wait for itself: refused."""
        if self._holder == threading.get_ident():
            raise RuntimeError("an earlier run of this thread is still open: close its iterator")
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = None

    def is_invariant(self, config: DecodeConfig) -> bool:
        """Whether this run's passes are row-invariant: asked for, or by default where possible."""
        return (
            config.numerics or ("invariant" if self.invariance.holds else "fast")
        ) == "invariant"

    def costs(self, invariant: bool) -> Costs:
        """The measured costs of passes on this device, or the frozen ones."""
        if self._frozen:
            return self._frozen.costs
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
        if config.method == "eagle" and self.draft is None:
            raise ValueError("method eagle needs a draft, and none is loaded")
        if config.method == "eagley" and self.draft is None and not config.reuse:
            raise ValueError("method eagley needs a draft or a reuse channel, and has neither")
        self._shared(config)

    def _start(
        self, prompt_ids: Sequence[int], config: DecodeConfig, decode: Decode, chat: Conversation
    ) -> Generation:
        room, invariant = self.target.context - len(prompt_ids), self.is_invariant(config)
        tree_rows = 1 + max(config.tree.total, len(FIXED_PATHS))
        max_age = config.channel("stale-kv")
        delta = config.channel("draft-kv")
        watched = self.draft is not None and (delta or config.internals)
        draft = WatchedDraft(self.draft) if watched else self.draft
        capacity = len(prompt_ids) + min(config.max_new_tokens, room) + tree_rows + 1
        capacity += tree_rows if max_age else 0
        capacity += config.tree.top_k * config.tree.depth
        reused = chat.begin(prompt_ids, invariant)
        cache = chat.room(reused.n_rows, capacity, self.target.new_cache)
        begin = DraftStart(capacity, config.temperature, prompt_ids[0], invariant, cache)
        part = config.channel("recycled")
        memory = chat.memory if part is not None else chat.memory._replace(store=None)
        if memory.store is not None:
            memory.store.part = part
        noise = Noise(config, self.target.vocab_size, self.target.device)
        hints = hints_of(config, memory, Couplings(noise, config), prompt_ids)
        proposer = self._proposer(config, draft, begin, hints)
        if watched and delta is None and config.method != "vanilla":
            delta = None if misfit(self.target, draft) else "exact"
        return Generation(
            target=self.target,
            config=config,
            invariant=invariant,
            cache=cache,
            proposer=proposer,
            shared=self._shared(config),
            store=memory.store,
            stale=StaleKV(self.target, cache, int(max_age) if max_age else None),
            substitution=Substitution(self.target, cache, draft, delta),
            noise=noise,
            stopping=Stopping(self.eos_ids, config.stop, config.max_new_tokens, room, decode),
            prompt_ids=list(prompt_ids),
            clock_start=time.perf_counter(),
            reused=reused,
            turn=chat.turn,
        )

    def _shared(self, config: DecodeConfig) -> SharedRows | None:
        """What drafting computes of the target's passes, where the run uses it (R4)."""
        is_part = isinstance(self.draft, EarlyExitDraft)
        if is_part and value_of(config.reuse, "stale-kv"):
            raise ValueError("reuse of stale-kv does not go with an early-exit draft")
        if config.method != "eagley" or "shared-kv" not in config.reuse:
            return None
        if not is_part:
            raise ValueError("reuse of shared-kv needs an early-exit draft")
        return self.draft.shared

    def _proposer(
        self, config: DecodeConfig, draft: Draft | None, begin: DraftStart, hints: Hints
    ) -> Proposer:
        if config.method == "vanilla":
            return Vanilla(self.target.device)
        by_cost = config.tree.kind == "auto"
        costs = self.costs(begin.invariant) if by_cost else None  # may measure: first
        if draft is not None:
            draft.start(begin)
        if costs is None:
            return ShapedTree(draft, config.tree, hints.couplings)
        return CostModelTree(draft, config.tree, costs, hints)


class _CancelledError(Exception):
    """Nobody waits for this run any more."""


def _every_step(run: Generation, cancelled: Callable[[], bool]) -> Iterator[StepFacts]:
    def between() -> None:
        if cancelled():
            raise _CancelledError

    try:
        facts = run.prefill(between)
    except _CancelledError:
        return
    yield facts
    while facts.finish is None and not cancelled():
        facts = run.step()
        yield facts
