"""The state of a training run on disk, from which it continues as if nothing had happened."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from eagley_core.train.start import Start

FILE = "checkpoint.pt"


@dataclass
class Progress:
    """Where a run is. A point of the curve: step, tokens seen, loss, acceptance by depth."""

    step: int = 0
    tokens_seen: int = 0
    seconds: float = 0.0
    allowed: float = 0.0  # seconds of training, when no number of steps is set
    best: float = -1.0
    curve: list[dict[str, Any]] = field(default_factory=list)


def save(folder: Path, progress: Progress, start: Start, optimizer: torch.optim.Optimizer) -> None:
    """Write all or nothing."""
    draft = folder / f"{FILE}.tmp"
    state = {
        "progress": asdict(progress),
        "head": start.head.state_dict(),
        "gain": start.gain,
        "optimizer": optimizer.state_dict(),
    }
    torch.save(state, draft)
    draft.replace(folder / FILE)


def restore(folder: Path, start: Start, optimizer: torch.optim.Optimizer) -> Progress:
    """Put the saved state into `start` and `optimizer`. Raises ValueError where there is none."""
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"nothing to resume: {path} does not exist")
    state = torch.load(path, map_location=start.gain.device, weights_only=True)
    start.head.load_state_dict(state["head"])
    start.gain.copy_(state["gain"])
    optimizer.load_state_dict(state["optimizer"])
    return Progress(**state["progress"])
