"""From the target's logits to its token, with randomness keyed by position.

For every output position there is one vector of standard Gumbel noise, made from (seed, position)
alone. The target's token is argmax(processed logits + noise): an exact sample of the processed
distribution (Gumbel-max), and the same token in whatever tree the position is verified.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from eagley_core.config import DecodeConfig

TOKEN, DRAW = 0, 1  # purposes of a key; noise of one purpose is independent of the other's
_TINIEST, _LARGEST = 2.0**-54, 1 - 2.0**-53  # without the second, rounding would reach 1


def uniform(seed: int, position: int, purpose: int, count: int) -> np.ndarray:
    """`count` float64 uniforms in (0, 1), a function of the key alone, the same everywhere."""
    key = np.array([seed, (position << 8) | purpose], dtype=np.uint64)
    return _unit(np.random.Philox(key=key).random_raw(count))


def _unit(bits: np.ndarray) -> np.ndarray:
    """The upper 53 of 64 random bits as a float64 within (0, 1), neither end included."""
    return np.minimum((bits >> np.uint64(11)) * 2.0**-53 + _TINIEST, _LARGEST)


def gumbel(seed: int, position: int, vocab_size: int) -> Tensor:
    """The position's noise vector, [V] float64 on the CPU."""
    return torch.from_numpy(-np.log(-np.log(uniform(seed, position, TOKEN, vocab_size))))


class Noise:
    """The noise vectors of one run, each made once and kept on the target's device."""

    def __init__(self, config: DecodeConfig, vocab_size: int, device: torch.device) -> None:
        self._seed, self._size, self._device = config.seed, vocab_size, device
        self._on = config.temperature > 0
        self._rows: dict[int, Tensor] = {}
        self._on_host: dict[int, Tensor] = {}

    def at(self, first: int, n_positions: int) -> Tensor | None:
        """Noise of n positions, [n, V] float32; None at temperature 0. Forgets earlier ones."""
        if not self._on:
            return None
        for rows in (self._rows, self._on_host):
            for position in [p for p in rows if p < first]:
                del rows[position]
        positions = range(first, first + n_positions)
        for position in positions:
            if position not in self._rows:
                self._rows[position] = self._row(position).to(self._device)
        return torch.stack([self._rows[p] for p in positions])

    def of(self, position: int, token_ids: Sequence[int]) -> list[float]:
        """Noise of some tokens of one position; the device is not asked."""
        row = self._row(position)
        return [float(row[token]) for token in token_ids]

    def _row(self, position: int) -> Tensor:
        """A position's noise on the CPU, [V] float32."""
        if position not in self._on_host:
            self._on_host[position] = gumbel(self._seed, position, self._size).float()
        return self._on_host[position]


def processed(logits: Tensor, config: DecodeConfig, seen: Tensor | None) -> Tensor:
    """Apply penalty, temperature, top-k and top-p, in transformers' order, to [N, V] logits.

    seen: [N, V] bool, the tokens of each row's own prefix; needed for a repetition penalty only.
    At temperature 0 only the penalty acts: the others never change the argmax.
    """
    logits = logits.float()
    if config.repetition_penalty != 1 and seen is not None:
        logits = _penalised(logits, config.repetition_penalty, seen)
    if config.temperature == 0:
        return logits
    logits = logits / config.temperature
    if 0 < config.top_k < logits.shape[-1]:
        lowest = logits.topk(config.top_k).values[..., -1:]
        logits = logits.masked_fill(logits < lowest, -torch.inf)
    if config.top_p < 1:
        logits = _nucleus(logits, config.top_p)
    return logits


def _penalised(logits: Tensor, penalty: float, seen: Tensor) -> Tensor:
    lowered = torch.where(logits < 0, logits * penalty, logits / penalty)
    return torch.where(seen, lowered, logits)


def _nucleus(logits: Tensor, top_p: float) -> Tensor:
    """Keep the smallest set of likeliest tokens whose probability reaches top_p."""
    ordered, ids = logits.sort(dim=-1, descending=True, stable=True)
    before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
    dropped = torch.zeros_like(before, dtype=torch.bool).scatter(-1, ids, before >= top_p)
    return logits.masked_fill(dropped, -torch.inf)


def seen_tokens(committed: Tensor, tokens: Tensor, mask: Tensor, vocab_size: int) -> Tensor:
    """Which tokens each row's own prefix holds: committed ones, its ancestors, itself. [N, V] bool.

    committed: [L] ids; tokens: [N]; mask: [N, N] ancestor mask with the diagonal.
    """
    seen = torch.zeros(len(tokens), vocab_size, device=tokens.device)
    seen.scatter_(1, committed.expand(len(tokens), -1), 1.0)
    return seen.scatter_add_(1, tokens.expand(len(tokens), -1), mask.float()) > 0


def choices(scores: Tensor, noise: Tensor | None) -> Tensor:
    """The target's own token after each row, [N]. scores: processed logits [N, V]; noise alike."""
    return best_tokens(scores if noise is None else scores + noise)


BLOCK = 128  # of the vocabulary: maxima of blocks cost a CPU a tenth of a search for the largest


def best_tokens(scores: Tensor, block: int = BLOCK) -> Tensor:
    """The id of each row's largest score [N, V], the lowest among equals: argmax, but faster."""
    n_blocks = scores.shape[1] // block
    if n_blocks < 2:
        return scores.argmax(-1)
    n_whole = n_blocks * block
    whole = scores[:, :n_whole].unflatten(1, (n_blocks, block))
    best = whole.amax(-1).argmax(-1, keepdim=True)
    inside = whole.gather(1, best[..., None].expand(-1, -1, block))[:, 0]
    ids = best[:, 0] * block + inside.argmax(-1)
    if n_whole == scores.shape[1]:
        return ids
    last, where = scores[:, n_whole:].max(-1)
    return torch.where(last > inside.amax(-1), n_whole + where, ids)


def top_tokens(logits: Tensor, k: int, block: int = BLOCK) -> tuple[Tensor, Tensor]:
    """The k largest logits of each row and their ids, [N, k] each.

    Looks only into the k blocks with the largest maxima, which hold them: far faster on a CPU
    than a topk over the vocabulary.
    """
    n_blocks = logits.shape[1] // block
    if n_blocks <= k:
        return logits.topk(k)
    return _of_blocks(logits, _maxima(logits, block), k, block)


def likely_tokens(logits: Tensor, k: int, block: int = BLOCK // 2) -> tuple[Tensor, Tensor]:
    """The k likeliest tokens of each row and about how likely they are, [N, k] each.

    Of every block only the largest logit enters the sum, which spares a pass over the vocabulary:
    a probability comes out at its own value or above, by a tenth to a third where many are likely.
    """
    n_blocks = logits.shape[1] // block
    if n_blocks <= k:
        values, ids = logits.softmax(-1).topk(k)
        return ids, values
    maxima = _maxima(logits, block)
    values, ids = _of_blocks(logits, maxima, k, block)
    summed = torch.cat([maxima, logits[:, n_blocks * block :]], dim=1)
    return ids, (values - summed.logsumexp(-1, keepdim=True)).exp()


def _maxima(logits: Tensor, block: int) -> Tensor:
    """Of every whole block, [N, V // block]."""
    n_blocks = logits.shape[1] // block
    return logits[:, : n_blocks * block].unflatten(1, (n_blocks, block)).amax(-1)


def _of_blocks(logits: Tensor, maxima: Tensor, k: int, block: int) -> tuple[Tensor, Tensor]:
    """The k largest, found in the k best blocks and behind the last whole one."""
    (n_rows, size), n_blocks = logits.shape, maxima.shape[1]
    whole = logits[:, : n_blocks * block].unflatten(1, (n_blocks, block))
    best = maxima.topk(k).indices
    inside = whole.gather(1, best[..., None].expand(-1, -1, block)).flatten(1)
    ids = (best[..., None] * block + torch.arange(block, device=logits.device)).flatten(1)
    rest = torch.arange(n_blocks * block, size, device=logits.device).expand(n_rows, -1)
    values, where = torch.cat([inside, logits[:, n_blocks * block :]], dim=1).topk(k)
    return values, torch.cat([ids, rest], dim=1).gather(1, where)
