"""EAGLE heads on disk: any of the published layouts is read, the compact one is written."""

import json
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from eagley_core.eagle1 import Eagle1Head
from eagley_core.eagle3 import Eagle3Head
from eagley_core.heads.checkpoint import CONFIG, WEIGHTS, read_checkpoint
from eagley_core.heads.export_config import compact_settings
from eagley_core.heads.fit import check_fit
from eagley_core.heads.layer import Head
from eagley_core.heads.layouts import Layout, recognised
from eagley_core.heads.settings import head_config
from eagley_core.target import Target


def load_head(source: str | Path, target: Target) -> Head:
    """A head for this target, from a folder or a hub id, ready to draft in the target's dtype.

    Without an own lm_head it predicts with the target's rows of its draft vocabulary. Raises
    ValueError that says what does not fit.
    """
    return _borrowing(read_head(source, target), target).to(target.device, target.dtype)


def read_head(source: str | Path, target: Target) -> Head:
    """The head with its tensors as they are stored, on the CPU."""
    layout = recognised(read_checkpoint(source))
    config = head_config(layout, target)
    with torch.device("meta"):
        head = (Eagle1Head if layout.is_eagle1 else Eagle3Head)(config)
    if not layout.is_eagle1 and config.draft_vocab_size == target.vocab_size:
        layout.tensors.setdefault("d2t", torch.zeros(target.vocab_size, dtype=torch.long))
    check_fit(layout, head, target)
    head.load_state_dict(_wanted(layout), assign=True)
    return head.eval().requires_grad_(False)


def _borrowing(head: Head, target: Target) -> Head:
    """Let go of copies of the target's own embedding and lm_head: it reads the target's."""
    config, ids = head.config, head.target_ids.to(target.head_weight.device)
    if config.embedding_rows and _is_copy(head.embed_tokens.weight, target.embedding):
        del head.embed_tokens
        config = replace(config, embedding_rows=0)
    if config.has_lm_head and _is_copy(head.lm_head.weight, target.head_weight[ids]):
        del head.lm_head
        config = replace(config, has_lm_head=False)
    head.config = config
    return head


def _is_copy(own: Tensor, target: Tensor) -> bool:
    """As it is, or rounded to the dtype that the head is stored in."""
    return torch.equal(own, target.to(own.device, own.dtype))


def _wanted(layout: Layout) -> dict[str, Tensor]:
    tensors = {name: value for name, value in layout.tensors.items() if name != "t2d"}
    return tensors if layout.is_eagle1 else {**tensors, "d2t": tensors["d2t"].long()}


def save_head(head: Head, folder: str | Path) -> None:
    """Write the head in bfloat16: its own tensors alone, and every setting that reading it needs.

    Raises ValueError for a head that cannot be told so; see `write_head` for other layouts.
    """
    settings = json.dumps(compact_settings(head.config), indent=1)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(settings + "\n")
    tensors = {name: _half(tensor) for name, tensor in head.state_dict().items()}
    save_file(tensors, folder / WEIGHTS)


def _half(tensor: Tensor) -> Tensor:
    return tensor.to(torch.bfloat16 if tensor.is_floating_point() else tensor.dtype).contiguous()
