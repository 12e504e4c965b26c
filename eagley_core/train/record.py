"""Where a trained head came from, written beside it."""

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from eagley_core.train.checkpoint import Progress
from eagley_core.train.plot import learning_curve
from eagley_core.train.settings import TrainSettings

FILE, PLOT = "training.json", "training.svg"


@dataclass(frozen=True)
class Origin:
    """What a run was given. `data` names each file, its digest and the conversations used.

    `first_head` names the head that was trained further and the digest of its weights.
    """

    command: str
    target: str
    settings: TrainSettings
    data: tuple[dict[str, Any], ...]
    held_out_conversations: int
    first_head: dict[str, str] | None = None

    def write(self, folder: Path, progress: Progress, acceptance: list[float] | None) -> None:
        """`acceptance` is that of the stored head on all held-out conversations, when known."""
        content = {
            **asdict(self),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "transformers": transformers.__version__,
            },
            "threads": torch.get_num_threads(),
            "acceptance_by_depth": acceptance,
            **asdict(progress),
        }
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(json.dumps(content, indent=1) + "\n")
        (folder / PLOT).write_text(learning_curve(progress.curve))
