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

    `first_head` is the head that was trained further: its name, the digest of its tensors, and
    the record of its own training.
    """

    command: str
    target: str
    settings: TrainSettings
    data: tuple[dict[str, Any], ...]
    held_out_conversations: int
    first_head: dict[str, Any] | None = None

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
        (folder / PLOT).write_text(learning_curve(whole_curve(content)))


def read(folder: Path) -> dict[str, Any] | None:
    """The record beside a head, if there is one."""
    path = folder / FILE
    return json.loads(path.read_text()) if path.is_file() else None


def whole_curve(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The curve of a head's whole training: first that of the head it was trained further from."""
    before = (record.get("first_head") or {}).get("training")
    if not before:
        return record["curve"]
    seen = _all_tokens(before)
    later = [{**point, "tokens_seen": seen + point["tokens_seen"]} for point in record["curve"]]
    return whole_curve(before) + later


def _all_tokens(record: dict[str, Any]) -> int:
    before = (record.get("first_head") or {}).get("training")
    return record["tokens_seen"] + (_all_tokens(before) if before else 0)
