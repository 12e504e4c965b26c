"""Checkpoints with random weights in exactly the published layouts of EAGLE heads."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

V, H, INNER = 64, 32, 40
DRAFT_IDS = torch.arange(32) * 2  # the draft's tokens: every second one of the target's
T2D = torch.zeros(V, dtype=torch.bool).index_fill(0, DRAFT_IDS, True)
FLAT = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_act": "silu",
    "hidden_size": H,
    "intermediate_size": INNER,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 1,
    "rms_norm_eps": 1e-5,
    "vocab_size": V,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "pretraining_tp": 1,
    "tie_word_embeddings": False,
}
SPECFORGE = {
    **FLAT,
    "architectures": ["LlamaForCausalLMEagle3"],
    "draft_vocab_size": 32,
    "eagle_config": {
        "eagle_aux_hidden_state_layer_ids": [1, 3, 4],
        "use_aux_hidden_state": True,
    },
}


def speculators(layer: dict[str, Any] | None = None, **changes: object) -> dict[str, Any]:
    """A config.json of vLLM's speculators, EAGLE-3."""
    inner = {**FLAT, "head_dim": 8, "attention_bias": False, **(layer or {})}
    return {
        "speculators_model_type": "eagle3",
        "architectures": ["Eagle3Speculator"],
        "speculators_version": "0.5.0",
        "transformer_layer_config": inner,
        "draft_vocab_size": 32,
        "norm_before_residual": False,
        "target_hidden_size": None,
        "eagle_aux_hidden_state_layer_ids": None,
        "speculators_config": {
            "algorithm": "eagle3",
            "default_proposal_method": "greedy",
            "proposal_methods": [{"proposal_type": "greedy", "speculative_tokens": 5}],
            "verifier": {"name_or_path": "a target", "architectures": ["LlamaForCausalLM"]},
        },
        **changes,
    }


@dataclass
class Sizes:
    """What the shapes of a head follow from."""

    width: int = H
    target: int = H
    states: int = 3
    head_dim: int = 8
    kv_heads: int = 2
    draft_vocab: int = 32
    biases: Sequence[str] = field(default_factory=tuple)  # which projections have one
    norms: dict[str, int] = field(default_factory=dict)  # further norms and their sizes


def eagle3(layer: str = "midlayer", sizes: Sizes | None = None) -> dict[str, Tensor]:
    """Tensors of an EAGLE-3 head, without d2t and t2d."""
    s = sizes or Sizes()
    shapes = {"fc": (s.width, s.states * s.target), "lm_head": (s.draft_vocab, s.width)}
    shapes |= _layer(layer, s, 2 * s.width)
    norms = {f"{layer}.{n}": s.width for n in ("hidden_norm", "input_layernorm")}
    norms |= {f"{layer}.post_attention_layernorm": s.width, "norm": s.width, **s.norms}
    return _random(shapes, norms, s.biases)


def eagle1(layer: str = "layers.0", fc: str = "fc", sizes: Sizes | None = None) -> dict:
    """Tensors of an EAGLE-1 head, without the stored embedding."""
    s = sizes or Sizes(biases=("fc",))
    shapes = {fc: (s.width, 2 * s.width), **_layer(layer, s, s.width)}
    return _random(shapes, {f"{layer}.post_attention_layernorm": s.width}, s.biases)


def vocabulary() -> dict[str, Tensor]:
    return {"d2t": DRAFT_IDS - torch.arange(32), "t2d": T2D}


def _layer(layer: str, s: Sizes, in_width: int) -> dict[str, tuple[int, int]]:
    rows = {"q": 4, "k": s.kv_heads, "v": s.kv_heads}
    shapes = {f"{layer}.self_attn.{n}_proj": (k * s.head_dim, in_width) for n, k in rows.items()}
    shapes[f"{layer}.self_attn.o_proj"] = (s.width, 4 * s.head_dim)
    for name in ("gate", "up"):
        shapes[f"{layer}.mlp.{name}_proj"] = (INNER, s.width)
    return {**shapes, f"{layer}.mlp.down_proj": (s.width, INNER)}


def _random(shapes: dict, norms: dict[str, int], biases: Sequence[str]) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(7)
    found = {
        f"{name}.weight": torch.randn(shape, generator=generator) / shape[1] ** 0.5
        for name, shape in shapes.items()
    }
    for name, size in norms.items():
        found[f"{name}.weight"] = torch.rand(size, generator=generator) + 0.5
    for name in biases:
        found[f"{name}.bias"] = torch.randn(shapes[name][0], generator=generator) * 0.3
    return found


def write(
    folder: Path, config: dict[str, Any], tensors: dict[str, Tensor], form: str = "safetensors"
) -> Path:
    """Write a checkpoint. form: safetensors or bin, with " shards" for three files and an index."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    suffix, *shards = form.split()
    stem = "model" if suffix == "safetensors" else "pytorch_model"
    if not shards:
        _store(tensors, folder / f"{stem}.{suffix}")
        return folder
    places = {name: f"{stem}-{i % 3 + 1:05}-of-00003.{suffix}" for i, name in enumerate(tensors)}
    for place in set(places.values()):
        part = {name: tensors[name] for name in tensors if places[name] == place}
        _store(part, folder / place)
    index = {"metadata": {"total_size": 0}, "weight_map": places}
    (folder / f"{stem}.{suffix}.index.json").write_text(json.dumps(index))
    return folder


def _store(tensors: dict[str, Tensor], path: Path) -> None:
    if path.suffix == ".bin":
        torch.save(tensors, path)
    else:
        save_file({name: t.clone() for name, t in tensors.items()}, path)
