"""Everything that touches disk, hub or device on the way to a ready target and draft."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.utils import logging as hub_logging
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from eagley_core import default_model
from eagley_core.target import Target

DTYPES = ("auto", "float32", "bfloat16", "float16")
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True)
class ModelChoice:
    """Which target to load and where. `target` is a hub id or a folder; None is the default."""

    target: str | None = None
    dtype: str = "auto"
    device: str = "auto"
    context: int | None = None

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, got {self.dtype!r}")
        if self.device not in DEVICES:
            raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {self.device!r}")
        if self.context is not None and self.context < 1:
            raise ValueError(f"context must be at least 1, got {self.context}")
        if self.device == "cuda" and not torch.cuda.is_available():
            raise ValueError("device cuda was asked for, but torch sees no CUDA device")


def load_target(
    choice: ModelChoice, report: default_model.Report = lambda what, fraction: None
) -> tuple[Target, Any]:
    """Load a target and its tokenizer. Raises ValueError in one line where that fails."""
    name = default_model.NAME if choice.target is None else choice.target
    model, tokenizer = load_model(choice, report)
    return Target(model, name, choice.context), tokenizer


def load_model(
    choice: ModelChoice, report: default_model.Report = lambda what, fraction: None
) -> tuple[PreTrainedModel, Any]:
    """Load the chosen model as transformers has it, and its tokenizer. Raises as above."""
    folder = default_model.fetch(report) if choice.target is None else choice.target
    name = default_model.NAME if choice.target is None else choice.target
    if str(folder).startswith(("/", ".", "~")) and not Path(folder).is_dir():
        raise ValueError(f"cannot load target {name!r}: there is no such folder")
    report(f"loading {name}", 0.95)
    disable_progress_bar()
    hub_logging.set_verbosity_error()  # an unreachable hub is told in one line, below
    where = "cuda" if choice.device == "auto" and torch.cuda.is_available() else choice.device
    where = "cpu" if where == "auto" else where
    dtype = _dtype(choice.dtype, where)
    options = {"device_map": "auto"} if where == "cuda" else {}
    try:
        AutoConfig.from_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, **options)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ValueError(f"cannot load target {name!r}: {_first_line(error)}") from error
    return model, tokenizer


def _dtype(name: str, device: str) -> torch.dtype:
    if name != "auto":
        return getattr(torch, name)
    if device == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.bfloat16 if has_bfloat16() else torch.float32


def has_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 in hardware."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
