"""What a training run is given, beside its settings."""

from dataclasses import dataclass
from pathlib import Path

from eagley_core.text import Tokenizer


@dataclass(frozen=True)
class Writing:
    """What the target is to write itself, and from which texts (a file, one a line)."""

    conversations: int
    seed: int = 0
    memory_gb: float = 4.0  # for the cached rows of the texts in the making
    material: Path | None = None

    def __post_init__(self) -> None:
        if self.conversations < 1:
            raise ValueError(f"generate must be at least 1, got {self.conversations}")


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
    exclude: tuple[Path, ...] = ()  # texts that no conversation may share a passage with
    writing: Writing | None = None
    tokenizer: Tokenizer | None = None  # for text: to be read, written, or compared
