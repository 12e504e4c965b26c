"""Which layout a checkpoint has, seen from its tensors and its config, and its official names.

official     midlayer.* (EAGLE-3) or layers.0.* (EAGLE-1 and 2), settings in one flat config
SpecForge    the same tensors, settings for SGLang: eagle_config
speculators  layers.0.* (EAGLE-3) or transformer.* (EAGLE-1), settings in transformer_layer_config
"""

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from eagley_core.heads.checkpoint import Checkpoint

Style = Literal["official", "SpecForge", "speculators"]
SIGNS = ("fc.", "fusion_fc.", "midlayer.", "layers.0.", "transformer.self_attn.")
SPECFORGE = "LlamaForCausalLMEagle3"


@dataclass(frozen=True, eq=False)
class Layout:
    """A checkpoint whose tensors have the official names, and whose settings are flat."""

    name: str
    style: Style
    is_eagle1: bool
    settings: dict[str, Any]
    tensors: dict[str, Tensor]

    @property
    def format(self) -> str:
        return f"{self.style} EAGLE-{1 if self.is_eagle1 else 3}"


def recognised(checkpoint: Checkpoint) -> Layout:
    """See which layout it is. Raises ValueError for what is no EAGLE head."""
    names, config = checkpoint.tensors.keys(), checkpoint.config
    if not any(name.startswith(SIGNS) for name in names):
        raise ValueError(f"draft {checkpoint.name} is no EAGLE head: it has {_some(names)}")
    is_eagle1 = not _has_eagle3s(names, config)
    renames = (("fusion_fc.", "fc."), ("transformer.", "layers.0."))
    renames = renames if is_eagle1 else (("layers.0.", "midlayer."),)
    tensors = {_renamed(name, renames): value for name, value in checkpoint.tensors.items()}
    inner = config.get("transformer_layer_config") or {}
    return Layout(checkpoint.name, _style(config), is_eagle1, {**inner, **config}, tensors)


def is_heads(config: dict[str, Any]) -> bool:
    """Whether a config.json says that it is a head's. That of an official EAGLE-1 head does not."""
    names = config.get("architectures") or ()
    said = {"speculators_model_type", "eagle_config", "draft_vocab_size"} & config.keys()
    return bool(said) or any("eagle" in name.lower() for name in names)


def _has_eagle3s(names: set[str], config: dict[str, Any]) -> bool:
    """Signs that EAGLE-1 heads do not have."""
    signs = {"layers.0.hidden_norm.weight", "d2t"}
    has_midlayer = any(name.startswith("midlayer.") for name in names)
    return has_midlayer or bool(signs & names) or config.get("speculators_model_type") == "eagle3"


def _style(config: dict[str, Any]) -> Style:
    if "speculators_model_type" in config or "transformer_layer_config" in config:
        return "speculators"
    is_specforge = SPECFORGE in (config.get("architectures") or ()) or "eagle_config" in config
    return "SpecForge" if is_specforge else "official"


def _renamed(name: str, renames: tuple[tuple[str, str], ...]) -> str:
    for old, new in renames:
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names)[:4]) or "nothing"
