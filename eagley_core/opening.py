"""What engine to open, in words that travel: another process or machine opens the same."""

from dataclasses import dataclass

import torch

from eagley_core.config import EARLY_EXIT
from eagley_core.default_model import Report
from eagley_core.frozen import Frozen
from eagley_core.lab import Lab, open_lab
from eagley_core.load import ModelChoice


@dataclass(frozen=True)
class Opening:
    """Target, draft and device as the command line names them. threads None: torch's choice."""

    target: str | None = None
    draft: str | None = None
    dtype: str = "auto"
    device: str = "auto"
    context: int | None = None
    threads: int | None = None
    frozen: Frozen | None = None

    def __post_init__(self) -> None:
        if self.draft in (EARLY_EXIT, EARLY_EXIT.rstrip(":")):
            raise ValueError(f"draft {self.draft!r} names no folder: {EARLY_EXIT}FOLDER")
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"threads must be at least 1, got {self.threads}")

    def lab(self, report: Report = lambda what, fraction: None) -> Lab:
        """Open it in this process, and set torch's threads."""
        choice = ModelChoice(self.target, self.dtype, self.device, self.context)
        if self.threads is not None:
            torch.set_num_threads(self.threads)
        lab = open_lab(choice, self.draft, report)
        if self.frozen:
            lab.engine.freeze(self.frozen)
        return lab
