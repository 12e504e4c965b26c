"""What a training run is given, beside its settings."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Order:
    """What to train from and where to put it. `counts`: conversations of each file, None is all."""

    files: tuple[Path, ...]
    counts: tuple[int | None, ...]
    out: Path
    work: Path  # features and checkpoints: may be deleted afterwards
    resume: bool
    command: str
    first_head: Path | None = None  # where training starts from, instead of a new head
