"""Whether a head's tensors are those of its format, and whether it fits its target."""

import re
from collections.abc import Set

import torch
from torch import Tensor

from eagley_core.heads.config import HeadConfig
from eagley_core.heads.layer import Head
from eagley_core.heads.layouts import Layout
from eagley_core.target import Target

LAYER = re.compile(r"layers\.[1-9]\d*")


def check_fit(layout: Layout, head: Head, target: Target) -> None:
    """Raise one ValueError that names the format and everything that does not fit."""
    wanted = dict(head.state_dict())
    if "t2d" in layout.tensors:  # d2t's inverse, needed in training only
        wanted["t2d"] = torch.empty(target.vocab_size, device="meta")
    unexpected = layout.tensors.keys() - wanted.keys()
    further = {name for name in unexpected if LAYER.match(name)}
    problems = [
        *_sizes(layout, head.config, target),
        *_listed("further layers, which are not supported:", {LAYER.match(n)[0] for n in further}),
        *_listed("missing", wanted.keys() - layout.tensors.keys()),
        *_listed("unexpected", unexpected - further),
        *_misshapen(layout.tensors, wanted),
    ]
    problems = problems or _vocabulary(layout, target)
    if problems:
        raise ValueError(
            f"draft {layout.name}, taken for {layout.format}, does not fit {target.name}: "
            + "; ".join(problems)
        )


def _sizes(layout: Layout, config: HeadConfig, target: Target) -> list[str]:
    found = []
    told = layout.settings.get("vocab_size") or target.vocab_size
    if told != target.vocab_size:
        found.append(f"it is for a vocabulary of {told}, the target has {target.vocab_size}")
    if config.target_hidden_size != target.hidden_size:
        found.append(
            f"it is for a target of hidden size {config.target_hidden_size}, "
            f"the target has {target.hidden_size}"
        )
    borrowed = [] if config.embedding_rows else ["embedding"]
    borrowed += [] if config.has_lm_head or config.predicts_embedding else ["lm_head"]
    if config.hidden_size != target.hidden_size and borrowed:
        found.append(
            f"its width is {config.hidden_size}, but it has no {' and no '.join(borrowed)} "
            f"of its own, and the target's has {target.hidden_size}"
        )
    return found


def _listed(word: str, names: Set[str]) -> list[str]:
    return [f"{word} {', '.join(sorted(names))}"] if names else []


def _misshapen(tensors: dict[str, Tensor], wanted: dict[str, Tensor]) -> list[str]:
    return [
        f"{name} is {list(tensors[name].shape)} instead of {list(wanted[name].shape)}"
        for name in sorted(wanted.keys() & tensors.keys())
        if tensors[name].shape != wanted[name].shape
    ]


def _vocabulary(layout: Layout, target: Target) -> list[str]:
    """d2t stores target id minus draft id."""
    if layout.is_eagle1:
        return []
    offsets = layout.tensors["d2t"]
    if offsets.is_floating_point() or offsets.is_complex():
        return [f"d2t is {offsets.dtype}, not whole numbers"]
    ids = offsets.long() + torch.arange(len(offsets))
    if int(ids.max()) >= target.vocab_size or int(ids.min()) < 0:
        return ["d2t maps to token ids outside the target's vocabulary"]
    if len(ids.unique()) < len(ids):
        return ["d2t maps two draft tokens to one of the target's"]
    return []
