"""What the target says about every token, computed once and kept on disk.

The states that the head fuses, and the target's most likely next tokens: the labels.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from eagley_core.target import Target
from eagley_core.train.data import Conversations, Rows, packs, rows

PASS_TOKENS = 512  # longer passes lose more to masked attention than they win in the layers
PASSES_PER_SHARD = 16
LABELS = 16  # most likely next tokens that are kept of each distribution
PROGRESS = "progress.json"

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Features:
    """Of each of T tokens: the target's states and its most likely next tokens."""

    states: Tensor  # [T, S, H] bfloat16
    label_ids: Tensor  # [T, LABELS] int32, most likely first
    label_logp: Tensor  # [T, LABELS] float16, log-probabilities; -inf where none was computed


class FeatureFiles:
    """Features of several data files, addressed as if their used tokens were one sequence."""

    def __init__(self, parts: Sequence[Features], n_tokens: Sequence[int]) -> None:
        """n_tokens: how many of each part's tokens are used."""
        self.parts = parts
        self.starts = torch.tensor([0, *n_tokens]).cumsum(0)

    def at(self, places: Tensor) -> Features:
        """Those of some tokens; places: any shape."""
        owner = torch.bucketize(places, self.starts, right=True) - 1
        some = [(owner == n, part) for n, part in enumerate(self.parts)]
        fields = []
        for name in ("states", "label_ids", "label_logp"):
            source = getattr(self.parts[0], name)
            found = source.new_empty(*places.shape, *source.shape[1:])
            for (mask, part), start in zip(some, self.starts, strict=False):
                found[mask] = getattr(part, name)[places[mask] - start]
            fields.append(found)
        return Features(*fields)


def open_features(folder: Path, n_tokens: int, target: Target) -> Features:
    """Tensors mapped to the files of `folder`, made where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    shape = (n_tokens, len(target.capture_ids), target.hidden_size)
    labels = (n_tokens, LABELS)
    return Features(
        _mapped(folder / "states.bin", shape, torch.bfloat16),
        _mapped(folder / "label_ids.bin", labels, torch.int32),
        _mapped(folder / "label_logp.bin", labels, torch.float16),
    )


def _mapped(path: Path, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    size = torch.Size(shape).numel()
    return torch.from_file(str(path), shared=True, size=size, dtype=dtype).view(shape)


def compute(
    target: Target, data: Conversations, n_wanted: int, folder: Path, report: Report
) -> Features:
    """Features of `data`, computed as far as its first n conversations reach.

    Continues where an earlier call was stopped, or wanted fewer.
    """
    found = open_features(folder, len(data.tokens), target)
    source = [data.digest(), target.name, str(target.dtype), list(target.capture_ids)]
    groups = [g for g in packs(data, range(len(data)), PASS_TOKENS) if g[0] < n_wanted]
    done, begin = _done(folder, source), time.monotonic()
    for first in range(done, len(groups), PASSES_PER_SHARD):
        shard = groups[first : first + PASSES_PER_SHARD]
        for group in shard:
            _fill(found, target, data, rows(data, group))
        _save(folder / PROGRESS, {"source": source, "passes": first + len(shard)})
        share = (first + len(shard) - done) / (len(groups) - done)
        left = (time.monotonic() - begin) * (1 - share) / share
        report(f"features: pass {first + len(shard)} of {len(groups)}, {left / 60:.1f} min left")
    return found


def _done(folder: Path, source: list) -> int:
    """Passes that earlier calls completed. Raises ValueError when they were about other data."""
    path = folder / PROGRESS
    if not path.is_file():
        return 0
    progress = json.loads(path.read_text())
    if progress["source"] != source:
        raise ValueError(f"{folder} holds features of other data or of another target")
    return progress["passes"]


def _save(path: Path, content: dict) -> None:
    """Write all or nothing."""
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(content))
    draft.replace(path)


@torch.inference_mode()
def _fill(found: Features, target: Target, data: Conversations, row: Rows) -> None:
    device = target.device
    tokens = data.tokens[row.places].long().to(device)
    cache = target.new_cache(len(tokens))
    done = target.run(
        tokens, row.positions.to(device), row.causal().to(device), cache, invariant=False
    )
    found.states[row.places] = done.features.to("cpu", torch.bfloat16)
    # The target's words after token i are the label of the response token at i + 1.
    before = row.is_response.roll(-1) & (row.owners == row.owners.roll(-1))
    logp = target.logits(done.hidden[before.to(device)]).float().log_softmax(-1)
    top = logp.topk(min(LABELS, logp.shape[-1]))
    found.label_logp[row.places] = -torch.inf
    places = row.places[before]
    found.label_ids[places, : top.indices.shape[-1]] = top.indices.to("cpu", torch.int32)
    found.label_logp[places, : top.values.shape[-1]] = top.values.to("cpu", torch.float16)
