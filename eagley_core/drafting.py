"""What the engine asks of any draft, and what a draft answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig
from eagley_core.sampling import Noise, processed, top_tokens
from eagley_core.sizes import Size


class Children(NamedTuple):
    """The draft's best next tokens after each of N rows."""

    tokens: Tensor  # [N, k] the target's ids, best first
    log_probs: Tensor  # [N, k] log q
    weights: Tensor  # [N, k] what ranks them: log q, or the coupled log-probability
    hidden: Tensor  # [N, H] what the draft needs to go on from these rows


class Coupling(NamedTuple):
    """The noise that will decide at one position, so that the draft can guess the sample.

    Gumbel coupling: Daliri, Musco, Suresh (2408.07978). The target takes the argmax of its logits
    plus this noise; the draft's candidates are ranked by their own logits plus the same noise.
    """

    noise: Tensor  # [V] standard Gumbel
    config: DecodeConfig

    def applied(self, logits: Tensor, target_ids: Tensor | None) -> Tensor:
        """Coupled scores of the draft's raw logits [N, V]."""
        noise = self.noise if target_ids is None else self.noise[target_ids]
        return processed(logits, self.config, None) + noise.to(logits.device)


class Couplings:
    """The couplings of a run's positions; none where the run is not coupled."""

    def __init__(self, noise: Noise, config: DecodeConfig) -> None:
        self._noise, self._config = noise, config

    def at(self, first: int, n_positions: int) -> list[Coupling | None]:
        """Of n positions from `first` on."""
        if not self._config.is_coupled:
            return [None] * n_positions
        return [Coupling(row, self._config) for row in self._noise.at(first, n_positions)]

    def on_host(self, position: int, token_ids: Sequence[int]) -> list[float] | None:
        """The noise of some tokens of a position; None where the run is not coupled."""
        return self._noise.of(position, token_ids) if self._config.is_coupled else None

    @property
    def temperature(self) -> float:
        return self._config.temperature


class DraftRows(NamedTuple):
    """One level of the tree as the draft's input: N nodes, and what they may look at."""

    hidden: Tensor  # [N, H] the draft's output at each node's parent
    tokens: Tensor  # [N]
    positions: Tensor  # [N] rotary positions: the draft's `length` for children of the root
    mask: Tensor  # [N, M] bool over all tree rows run so far, these N included


class DraftStart(NamedTuple):
    """What a draft has to know of a run before it begins."""

    capacity: int  # rows that it will hold at once, those of a tree included
    temperature: float  # q is the draft's distribution at this temperature (at 1 for 0)
    first_id: int  # the prompt's first token, the only one that is never fed
    invariant: bool  # the numerics of the run's passes
    cache: KVCache  # the target's own


class Draft(Protocol):
    """A draft at work, one run at a time: `start`, then in every step `feed` and some `extend`."""

    name: str
    state_ids: tuple[int, ...]  # the target's states that `feed` reads; see Target.capture
    size: Size  # of what one of its passes reads, the target's own weights included

    def start(self, run: DraftStart) -> None:
        """Forget the last run."""

    @property
    def length(self) -> int:
        """The rotary position of the root's children."""

    def feed(
        self,
        features: Tensor,
        next_ids: Sequence[int],
        k: int,
        coupling: Coupling | None = None,
    ) -> Children:
        """Take what was committed: features [N, S, Ht] of N tokens, and the token after each.

        Returns the k best children of the last of them, the root, ranked with their position's
        `coupling` where there is one.
        """

    def extend(self, rows: DraftRows, k: int, coupling: Coupling | None = None) -> Children:
        """Run one level of the tree behind the levels before it; children of one position."""


class Ranking(NamedTuple):
    """How a draft's children are chosen from its logits."""

    k: int
    temperature: float  # of q
    target_ids: Tensor | None = None  # [V] the target's id of each column; None: the same
    coupling: Coupling | None = None


def best_children(logits: Tensor, hidden: Tensor, ranking: Ranking) -> Children:
    """The k best tokens of raw logits [N, V], by q or by their coupled scores."""
    k, temperature, target_ids, coupling = ranking
    logits = logits.float()
    tempered = logits / temperature
    scores = tempered if coupling is None else coupling.applied(logits, target_ids)
    best, ids = top_tokens(scores, min(k, logits.shape[1]))
    weights = best - scores.logsumexp(-1, keepdim=True)
    log_probs = weights
    if coupling is not None:
        log_probs = tempered.gather(1, ids) - tempered.logsumexp(-1, keepdim=True)
    return Children(ids if target_ids is None else target_ids[ids], log_probs, weights, hidden)
