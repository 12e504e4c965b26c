"""EAGLE-3 heads on disk: the official tensor names, one safetensors file and a config."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from eagley_core.eagle3 import Eagle3Head, HeadConfig
from eagley_core.target import Target

WEIGHTS, CONFIG = "model.safetensors", "config.json"


def load_head(folder: str | Path, target: Target) -> Eagle3Head:
    """Read a head and check that it fits the target. Raises ValueError that says what does not.

    A head without its own lm_head predicts with the target's rows of its draft vocabulary.
    """
    folder = Path(folder)
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise ValueError(f"draft {folder} has no {name}")
    tensors = _tensors(folder)
    tensors.pop("t2d", None)  # d2t's inverse, needed in training only
    config = _config(folder, tensors, len(target.layers))
    _check_sizes(folder, config, target)
    head = Eagle3Head(config)
    _check(folder, tensors, head.state_dict())
    head.load_state_dict(tensors)
    if int(head.target_ids.max()) >= target.vocab_size or int(head.target_ids.min()) < 0:
        raise ValueError(f"draft {folder} maps to token ids outside the target's vocabulary")
    return head.to(target.device, target.dtype).eval().requires_grad_(False)


def _tensors(folder: Path) -> dict[str, Tensor]:
    try:
        return load_file(folder / WEIGHTS)
    except SafetensorError as error:
        raise ValueError(f"draft {folder}: {WEIGHTS} cannot be read: {error}") from error


def _check_sizes(folder: Path, config: HeadConfig, target: Target) -> None:
    if config.target_hidden_size != target.hidden_size:
        raise ValueError(
            f"draft {folder} is for a target of hidden size {config.target_hidden_size}, "
            f"{target.name} has {target.hidden_size}"
        )
    if config.hidden_size != target.hidden_size:  # it reads the target's embedding
        raise ValueError(
            f"draft {folder} has width {config.hidden_size}, "
            f"the embedding of {target.name} has {target.hidden_size}"
        )


def save_head(head: Eagle3Head, folder: str | Path) -> None:
    """Write the head in bfloat16, with every setting that reading it needs."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(json.dumps(_settings(head.config), indent=1) + "\n")
    tensors = {name: _half(tensor) for name, tensor in head.state_dict().items()}
    save_file(tensors, folder / WEIGHTS)


def _half(tensor: Tensor) -> Tensor:
    return tensor.to(torch.bfloat16 if tensor.is_floating_point() else tensor.dtype).contiguous()


def _settings(config: HeadConfig) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLMEagle3"],
        "model_type": "llama",
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_attention_heads": config.num_heads,
        "num_key_value_heads": config.num_kv_heads,
        "head_dim": config.head_dim,
        "num_hidden_layers": 1,
        "hidden_act": "silu",
        "attention_bias": False,
        "draft_vocab_size": config.draft_vocab_size,
        "target_hidden_size": config.target_hidden_size,
        "eagle_aux_hidden_state_layer_ids": list(config.state_ids),
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "fc_norm": config.has_fc_norm,
    }


def _config(folder: Path, tensors: dict[str, Tensor], n_layers: int) -> HeadConfig:
    try:
        raw = json.loads((folder / CONFIG).read_text())
        return HeadConfig(
            hidden_size=raw["hidden_size"],
            intermediate_size=raw["intermediate_size"],
            num_heads=raw["num_attention_heads"],
            num_kv_heads=raw.get("num_key_value_heads", raw["num_attention_heads"]),
            head_dim=raw.get("head_dim") or raw["hidden_size"] // raw["num_attention_heads"],
            draft_vocab_size=raw["draft_vocab_size"],
            target_hidden_size=raw.get("target_hidden_size") or raw["hidden_size"],
            state_ids=_state_ids(raw, n_layers),
            rms_norm_eps=raw.get("rms_norm_eps", 1e-6),
            rope_theta=_rope_theta(folder, raw),
            has_fc_norm="fc_norm.0.weight" in tensors,
            has_lm_head="lm_head.weight" in tensors,
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"draft {folder}: {CONFIG} is not an EAGLE-3 head's: {error}") from error


def _rope_theta(folder: Path, raw: dict[str, Any]) -> float:
    """From either layout: `rope_theta` beside `rope_scaling`, or both in `rope_parameters`."""
    rope = {**(raw.get("rope_scaling") or {}), **(raw.get("rope_parameters") or {})}
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind != "default":
        raise ValueError(f"draft {folder} uses {kind} rotary positions: not supported")
    return rope.get("rope_theta") or raw.get("rope_theta", 10000.0)


def _state_ids(raw: dict[str, Any], n_layers: int) -> tuple[int, ...]:
    """The official default: low, middle and high states of the target."""
    ids = raw.get("eagle_aux_hidden_state_layer_ids") or [2, n_layers // 2, n_layers - 3]
    return tuple(ids)


def _check(folder: Path, tensors: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    problems = [f"missing {name}" for name in sorted(wanted.keys() - tensors.keys())]
    problems += [f"unexpected {name}" for name in sorted(tensors.keys() - wanted.keys())]
    problems += [
        f"{name} is {list(tensors[name].shape)} instead of {list(wanted[name].shape)}"
        for name in sorted(wanted.keys() & tensors.keys())
        if tensors[name].shape != wanted[name].shape
    ]
    if problems:
        raise ValueError(f"draft {folder} does not fit EAGLE-3: {'; '.join(problems)}")
