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
    worse_for: int = 0  # evaluations since the best one
    curve: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class State:
    """All that changes while training, and what it belongs to: settings and data, by name."""

    start: Start
    optimizer: torch.optim.Optimizer
    identity: dict[str, Any]


def save(folder: Path, progress: Progress, state: State) -> None:
    """Write all or nothing."""
    draft = folder / f"{FILE}.tmp"
    content = {
        "identity": state.identity,
        "progress": asdict(progress),
        "head": state.start.head.state_dict(),
        "gain": state.start.gain,
        "optimizer": state.optimizer.state_dict(),
    }
    torch.save(content, draft)
    draft.replace(folder / FILE)


def restore(folder: Path, state: State) -> Progress:
    """Bring `state` to where it was saved. Raises ValueError where that is not possible."""
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"nothing to resume: {path} does not exist")
    content = torch.load(path, map_location=state.start.gain.device, weights_only=True)
    saved = content["identity"]
    changed = [name for name, value in state.identity.items() if saved.get(name) != value]
    if changed:
        raise ValueError(f"cannot resume {path}: it was trained with another {changed[0]}")
    state.start.head.load_state_dict(content["head"])
    state.start.gain.copy_(content["gain"])
    state.optimizer.load_state_dict(content["optimizer"])
    return Progress(**content["progress"])
