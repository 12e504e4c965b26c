"""A head written in the layouts that other programs read: tensors and files."""

import json
from pathlib import Path
from typing import get_args

import torch
from safetensors.torch import save_file
from torch import Tensor

from eagley_core.eagle1 import Eagle1Head
from eagley_core.heads.checkpoint import CONFIG, WEIGHTS
from eagley_core.heads.export_config import Format, check_sayable, settings
from eagley_core.heads.layer import Head
from eagley_core.target import Target

FORMATS: tuple[Format, ...] = get_args(Format)


def write_head(head: Head, folder: str | Path, form: Format, target: Target) -> None:
    """Write config.json and model.safetensors, every tensor in the dtype that the head has.

    official: for the code of the EAGLE papers; speculators: for vLLM; specforge: for SGLang. What
    the head borrows from the target and the layout stores is taken from the target. Raises
    ValueError for a head that the layout has no words for.
    """
    check_sayable(head, form, target)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(json.dumps(settings(head, form, target), indent=1) + "\n")
    tensors = _tensors(head, form, target)
    save_file({k: t.contiguous().cpu() for k, t in tensors.items()}, folder / WEIGHTS)


def _tensors(head: Head, form: Format, target: Target) -> dict[str, Tensor]:
    own, dtype = dict(head.state_dict()), head.fc.weight.dtype
    if isinstance(head, Eagle1Head):
        return {"embed_tokens.weight": target.embedding.to(dtype), **own}
    lent = head.borrowed_rows(target.embedding, target.head_weight)
    rows = lent[head.target_ids.to(lent.device)].to(dtype)
    found = {"lm_head.weight": rows, **own, "t2d": _membership(head, target)}
    if form == "specforge":
        return found
    if head.config.draft_vocab_size == target.vocab_size:
        found = {name: value for name, value in found.items() if name not in ("d2t", "t2d")}
    layer = "layers.0." if form == "speculators" else "midlayer."
    return {name.replace("midlayer.", layer): value for name, value in found.items()}


def _membership(head: Head, target: Target) -> Tensor:
    """Which of the target's tokens the draft has, [V]."""
    ids = head.target_ids.cpu()
    return torch.zeros(target.vocab_size, dtype=torch.bool).index_fill(0, ids, True)
