"""Made-up conversations to train on."""

from pathlib import Path

import numpy as np
import torch

from eagley_core.train.data import Conversations
from tests.core.tiny import VOCABULARY


def talks(n: int = 30, seed: int = 0) -> Conversations:
    """Random conversations of 8 to 20 tokens whose answers begin at 4."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(8, 21, (n,), generator=generator)
    tokens = torch.randint(0, VOCABULARY, (int(lengths.sum()),), generator=generator)
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    return Conversations(tokens.int(), offsets, torch.full((n,), 4))


def write(path: Path, made: Conversations, **changes: np.ndarray) -> Path:
    arrays = {
        "tokens": made.tokens.numpy().astype(np.uint16),
        "offsets": made.offsets.numpy(),
        "response_start": made.response_start.numpy().astype(np.int32),
    }
    np.savez(path, **{**arrays, **changes})
    return path
