"""Whether this device gives a row the same bits however many rows are beside it.

Observed, not proved, so the engine looks for itself at the start: a chain of tokens decoded one
pass each, and the same chain inside one pass among decoys, must give equal hidden states.
"""

from typing import NamedTuple

import torch

from eagley_core.target import Target

PROMPT, CHAIN, DECOYS = 16, 6, 11


class Invariance(NamedTuple):
    """What the self-test found."""

    holds: bool
    min_rows: int  # rows that a pass needs for it
    largest: float  # largest difference of a hidden state, relative to its row's largest value

    def __str__(self) -> str:
        if self.holds:
            beside = "" if self.min_rows == 1 else f", passes of at least {self.min_rows} rows"
            return f"row-invariant on {CHAIN} rows tested{beside}"
        return f"not row-invariant: rows differ by up to {self.largest:.1e} of their largest value"


def self_test(target: Target) -> Invariance:
    """Set the fewest rows per pass for which rows are invariant. Raises ValueError when a tree
    pass is plainly wrong, which means that the model ignores the mask or the positions."""
    differences = {}
    for min_rows in (1, 2):
        target.min_rows = min_rows
        differences[min_rows] = _difference(target)
        if differences[min_rows] == 0:
            return Invariance(True, min_rows, 0.0)
    largest = differences[2]
    tolerance = 1e-3 if target.dtype == torch.float32 else 0.2
    if not largest < tolerance:
        raise ValueError(
            f"{target.name} ({target.config.model_type}) does not honour a tree pass: "
            f"its rows differ by {largest:.1e} from decoding one by one"
        )
    return Invariance(False, 2, largest)


@torch.inference_mode()
def _difference(target: Target) -> float:
    device = target.device
    ids = torch.randint(
        target.vocab_size, (PROMPT + CHAIN + DECOYS,), generator=torch.Generator().manual_seed(0)
    ).to(device)
    chain, decoys = ids[PROMPT : PROMPT + CHAIN], ids[PROMPT + CHAIN :]
    cache = target.new_cache(len(ids) + 2)
    target.prefill(ids[:PROMPT], cache)
    tree = _among_decoys(target, chain, decoys, cache)
    alone = []
    one = torch.ones(1, 1, dtype=torch.bool, device=device)
    for token in chain.split(1):
        alone.append(target.run(token, torch.zeros_like(token), one, cache).hidden)
        cache.commit([0])
    one_by_one = torch.cat(alone).float()
    gap = (one_by_one - tree.float()).abs().amax(-1) / one_by_one.abs().amax(-1)
    return float(gap.max())


def _among_decoys(target: Target, chain, decoys, cache) -> torch.Tensor:
    """One pass over the chain with decoy siblings strewn in; the chain's hidden states."""
    n_rows = len(chain) + len(decoys)
    places = [0, *(3 * i - 1 for i in range(1, len(chain)))]
    others = [row for row in range(n_rows) if row not in places]
    tokens = torch.empty(n_rows, dtype=torch.long, device=target.device)
    tokens[places], tokens[others] = chain, decoys
    depths = torch.ones_like(tokens)
    depths[places] = torch.arange(len(chain), device=target.device)
    mask = torch.eye(n_rows, dtype=torch.bool, device=target.device)
    mask[:, 0] = True
    for i, row in enumerate(places):
        mask[row, places[:i]] = True
    return target.run(tokens, depths, mask, cache).hidden[places]
