"""A lab for worker processes: tiny, frozen, and once in its life it takes its process along."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from eagley_core.config import DecodeConfig
from eagley_core.engine import Engine
from eagley_core.frozen import load_frozen
from eagley_core.lab import Lab, Prompt
from eagley_core.steps import StepFacts
from tests.core.test_bench import Letters
from tests.core.tiny import tiny_draft, tiny_target


@dataclass(frozen=True)
class Fragile(Lab):
    """Where `deadly` is run for the first time, the process is killed and leaves a mark."""

    deadly: str = ""
    mark: Path = Path()

    def steps(self, prompt: Prompt, config: DecodeConfig, *more, **named) -> Iterator[StepFacts]:
        if prompt.name == self.deadly and config.method == "eagle" and not self.mark.exists():
            self.mark.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().steps(prompt, config, *more, **named)


def fragile_lab(folder: Path, deadly: str) -> Lab:
    """A lab that decides by `folder`/frozen.json."""
    torch.set_num_threads(1)
    target = tiny_target()
    engine = Engine(target, tiny_draft(target), (), folder)
    engine.freeze(load_frozen(folder / "frozen.json"))
    return Fragile(engine, Letters(), "tiny", deadly=deadly, mark=folder / "mark")


def no_lab() -> Lab:
    raise ValueError("there is no such folder")
