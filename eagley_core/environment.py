"""What a run's times depend on."""

import platform
from pathlib import Path

import torch
import transformers

from eagley_core.engine import Engine
from eagley_core.trace import Environment


def environment(engine: Engine, invariant: bool) -> Environment:
    target = engine.target
    return Environment(
        device=_device(target.device),
        dtype=str(target.dtype).removeprefix("torch."),
        threads=torch.get_num_threads(),
        numerics=str(engine.invariance) if invariant else "fast (not row-invariant)",
        processor=_processor(),
        python=platform.python_version(),
        torch=str(torch.__version__),
        transformers=transformers.__version__,
    )


def _device(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _processor() -> str:
    """The processor's name where the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
