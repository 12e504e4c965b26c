"""How often a head says what the target says, on conversations it was not trained on."""

from collections.abc import Iterable

import torch

from eagley_core.load import has_bfloat16
from eagley_core.train.batches import Batch
from eagley_core.train.loss import hits
from eagley_core.train.start import Start
from eagley_core.train.unroll import Lookup, unroll


@torch.no_grad()
def acceptance_by_depth(
    start: Start, frozen: Lookup, batches: Iterable[Batch], n_depths: int
) -> list[float]:
    """Share of response tokens where the first choices of draft and target agree, per depth.

    Depth d is the d-th token that the head drafts by itself, along the text as it stands.
    """
    agreed, tried = torch.zeros(n_depths, device=start.gain.device), [0] * n_depths
    for batch in batches:
        with autocast(batch.tokens.device):
            for depth, step in enumerate(unroll(start, frozen, batch, n_depths)):
                agreed[depth] += hits(step, frozen.head_rows).sum()
                tried[depth] += len(step.states)
    return [a / max(1, t) for a, t in zip(agreed.tolist(), tried, strict=True)]


def autocast(device: torch.device) -> torch.autocast:
    """Mixed precision where the device multiplies bfloat16 in hardware."""
    is_cuda = device.type == "cuda"
    has = torch.cuda.is_bf16_supported() if is_cuda else has_bfloat16()
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=has)


def expected_length(acceptance: Iterable[float]) -> float:
    """Mean accepted tokens of one drafted chain, if agreement at each depth were independent."""
    reached, total = 1.0, 0.0
    for share in acceptance:
        reached *= share
        total += reached
    return total
