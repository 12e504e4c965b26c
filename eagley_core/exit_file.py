"""Exit heads on disk: one safetensors file and a config."""

import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from eagley_core.exit_head import ExitConfig, ExitHead
from eagley_core.target import Target

KIND = "eagley-exit-head"
WEIGHTS, CONFIG = "model.safetensors", "config.json"


def save_exit_head(head: ExitHead, folder: Path) -> None:
    """Write the head in bfloat16."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"kind": KIND, **asdict(head.config)}
    (folder / CONFIG).write_text(json.dumps(settings, indent=1) + "\n")
    tensors = {
        name: tensor.to(torch.bfloat16 if tensor.is_floating_point() else tensor.dtype)
        for name, tensor in head.state_dict().items()
    }
    save_file(tensors, folder / WEIGHTS)


def load_exit_head(folder: Path, target: Target) -> ExitHead:
    """Read an exit head of this target. Raises ValueError that says what does not fit."""
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise ValueError(f"early exit {folder} has no {name}")
    try:
        config = _config(folder)
        head = ExitHead(config)
        head.load_state_dict(load_file(folder / WEIGHTS))
    except (SafetensorError, json.JSONDecodeError, RuntimeError, TypeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ValueError(f"early exit {folder} cannot be read: {reason}") from error
    if config.hidden_size != target.hidden_size:
        raise ValueError(
            f"early exit {folder} is for a target of hidden size {config.hidden_size}, "
            f"{target.name} has {target.hidden_size}"
        )
    if not 0 <= int(head.target_ids.min()) <= int(head.target_ids.max()) < target.vocab_size:
        raise ValueError(f"early exit {folder} has token ids outside the target's vocabulary")
    return head.to(target.device, target.dtype).eval().requires_grad_(False)


def _config(folder: Path) -> ExitConfig:
    raw = json.loads((folder / CONFIG).read_text())
    if not isinstance(raw, dict) or raw.pop("kind", None) != KIND:
        raise ValueError(f"early exit {folder} is no exit head: {CONFIG} is not of one")
    return ExitConfig(**raw)
