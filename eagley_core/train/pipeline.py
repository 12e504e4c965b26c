"""From files of conversations to a trained head."""

import hashlib
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from eagley_core.eagle3 import Eagle3Head
from eagley_core.head_file import load_head, read_head, save_head
from eagley_core.target import Target
from eagley_core.train import data, features
from eagley_core.train.data import Conversations
from eagley_core.train.features import FeatureFiles, Report
from eagley_core.train.loop import Material, Trainer, judge
from eagley_core.train.order import Order
from eagley_core.train.record import Origin, read
from eagley_core.train.settings import TrainSettings
from eagley_core.train.sources import sources
from eagley_core.train.start import Start, folded, new_head, state_ids, trained_head
from eagley_core.train.unroll import lookup
from eagley_core.train.vocab import most_frequent

SCALE_CONVERSATIONS = 100  # the scale of the states is taken from so many
LEAST_TRAINING = 0.2  # of the budget, should the features have used up more than the rest


def train(target: Target, order: Order, settings: TrainSettings, report: Report) -> dict[str, Any]:
    """Train a head and store it. Returns what the command prints."""
    begin = time.monotonic()
    target.capture(state_ids(len(target.layers)))
    talks, found, used = gather(target, order, report)
    train_on, held = data.split(talks, settings.seed)
    draft_ids = most_frequent(talks, train_on, settings.draft_vocab, target.vocab_size)
    states = found.at(data.rows(talks, train_on[:SCALE_CONVERSATIONS]).places).states
    start = begin_head(target, draft_ids, states, settings.seed, order.first_head)
    material = Material(talks, found, train_on, held, lookup(target, start))
    first = named(order.first_head, target)
    origin = Origin(order.command, target.name, settings, tuple(used), len(held), first)
    trainer = Trainer(start, material, settings, order.work)
    if order.resume:
        trainer.resume()
    else:
        trainer.progress.allowed = left(settings, time.monotonic() - begin)

    def keep(better: Start) -> None:
        save_head(folded(better), order.out)
        origin.write(order.out, trainer.progress, None)

    progress = trainer.run(keep, report)
    stored = Start(load_head(order.out, target).float(), torch.ones_like(start.gain))
    acceptance = judge(stored, material, held, settings)
    origin.write(order.out, progress, acceptance)
    return {
        "head": str(order.out),
        "acceptance_by_depth": acceptance,
        "tokens_seen": progress.tokens_seen,
    }


def left(settings: TrainSettings, spent: float) -> float:
    """Seconds of the budget that are left for training."""
    budget = settings.budget_minutes * 60
    return max(budget - spent, LEAST_TRAINING * budget)


def gather(
    target: Target, order: Order, report: Report
) -> tuple[Conversations, FeatureFiles, list[dict[str, Any]]]:
    """The conversations of all sources, their features, and what was used of each."""
    talks, parts, used = [], [], []
    for whole, wanted, facts in sources(target, order, report):
        digest = whole.digest()
        n_used = min(wanted or len(whole), len(whole))
        folder = order.work / f"features-{digest[:12]}"
        talks.append(data.first(whole, n_used))
        parts.append(features.compute(target, whole, n_used, folder, report))
        used.append({**facts, "sha256": digest, "conversations": n_used})
    n_tokens = [len(part.tokens) for part in talks]
    return data.join(talks), FeatureFiles(parts, n_tokens), used


def named(source: Path | None, target: Target) -> dict[str, Any] | None:
    """A head's name, the digest of its tensors, and how it was trained."""
    if source is None:
        return None
    digest = hashlib.sha256()
    for tensor in read_head(source, target).state_dict().values():
        digest.update(tensor.contiguous().view(torch.uint8).numpy())
    return {
        "head": source.name,
        "sha256_of_tensors": digest.hexdigest(),
        "training": read(source),
    }


def begin_head(
    target: Target, draft_ids: Tensor, states: Tensor, seed: int, first_head: Path | None
) -> Start:
    """A head for these draft tokens: a new one, or `first_head` to be trained further."""
    if first_head is None:
        return new_head(target, draft_ids, states, seed)
    head = load_head(first_head, target)
    if not isinstance(head, Eagle3Head):
        raise ValueError(f"head {first_head} is of another EAGLE: only EAGLE-3 heads are trained")
    if head.config.state_ids != target.capture_ids:
        raise ValueError(f"head {first_head} reads other states than {target.capture_ids}")
    return trained_head(head.float(), draft_ids, states)
