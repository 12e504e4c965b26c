"""An exit head for a target: each token by itself, from one state to the target's own next words.

What the lower layers make of a drafted token is what they make of any token, so nothing has to be
unrolled: agreement on the text as it stands is agreement at every depth of a tree.
"""

import json
import platform
import time
from dataclasses import asdict, dataclass
from typing import Any

import torch
import transformers
from torch import Tensor

from eagley_core.exit_file import load_exit_head, save_exit_head
from eagley_core.exit_head import ExitConfig, ExitHead
from eagley_core.target import Target
from eagley_core.train import data
from eagley_core.train.evaluate import autocast
from eagley_core.train.features import FeatureFiles, Report
from eagley_core.train.loss import hits, soft_loss
from eagley_core.train.order import Order
from eagley_core.train.pipeline import gather, left
from eagley_core.train.record import FILE
from eagley_core.train.settings import TrainSettings
from eagley_core.train.unroll import Step
from eagley_core.train.vocab import draft_index, most_frequent

USED = ("budget_minutes", "steps", "seed", "draft_vocab", "batch_tokens", "learning_rate")
USED += ("final_rate", "warmup_steps", "weight_decay", "clip_norm")  # settings that apply here
REPORT_EVERY = 50  # updates
JUDGED_AT_ONCE = 2048  # tokens


@dataclass(frozen=True)
class ExitShape:
    """Where to leave the target, and how wide the head's MLP is."""

    layer: int
    inner_size: int = 384


@dataclass(frozen=True, eq=False)
class Words:
    """The tokens of some conversations that the target's words follow, and what these are."""

    found: FeatureFiles
    places: Tensor  # [T]
    index: Tensor  # [V] the draft token of each target token
    rows: Tensor  # [Vd, H] the target's lm_head, for the draft tokens

    def step(self, head: ExitHead, some: Tensor) -> Step:
        """What the head says at some of the places, [n], and what the target says there."""
        features = self.found.at(self.places[some])
        label_index = self.index[features.label_ids.long().to(self.index.device)]
        label_p = features.label_logp.float().exp().to(self.index.device) * (label_index >= 0)
        return Step(head(features.states[:, 0].float().to(self.rows.device)), label_index, label_p)


def train_exit_head(
    target: Target, order: Order, settings: TrainSettings, shape: ExitShape, report: Report
) -> dict[str, Any]:
    """Train an exit head and store it. Returns what the command prints.

    Raises ValueError unless there are layers before and behind the exit.
    """
    begin = time.monotonic()
    if not 0 < shape.layer < len(target.layers):
        raise ValueError(f"layer {shape.layer} to exit at: there are {len(target.layers)} layers")
    target.capture((shape.layer,))
    talks, found, used = gather(target, order, report)
    train_on, held = data.split(talks, settings.seed)
    ids = most_frequent(talks, train_on, settings.draft_vocab, target.vocab_size)
    index = draft_index(ids, target.vocab_size).to(target.device)
    frozen = (index, target.head_weight[ids.to(target.head_weight.device)].to(target.device))
    config = ExitConfig(shape.layer, target.hidden_size, shape.inner_size, len(ids))
    head = _new(config, target, ids, settings.seed)
    words = Words(found, _places(talks, found, train_on), *frozen)
    allowed = left(settings, time.monotonic() - begin)
    seen = _train(head, words, settings, allowed, report)
    save_exit_head(head, order.out)
    stored = load_exit_head(order.out, target).float()
    judged = Words(found, _places(talks, found, held), *frozen)
    acceptance = _agreement(stored, judged)
    origin = {
        "command": order.command,
        "target": target.name,
        "settings": {name: getattr(settings, name) for name in USED},
        "shape": asdict(shape),
        "data": used,
        "held_out_conversations": len(held),
        "held_out_tokens": len(judged.places),
        "acceptance": acceptance,
        "tokens_seen": seen,
        "threads": torch.get_num_threads(),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }
    (order.out / FILE).write_text(json.dumps(origin, indent=1) + "\n")
    return {"head": str(order.out), "acceptance_by_depth": [acceptance], "tokens_seen": seen}


def _new(config: ExitConfig, target: Target, ids: Tensor, seed: int) -> ExitHead:
    """A head that reads the state as the target's own final norm and lm_head would."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = ExitHead(config)
    with torch.no_grad():
        head.down.weight.zero_()
        head.norm.weight.copy_(target.decoder.norm.weight)
        head.target_ids.copy_(ids)
    return head.to(target.device)


def _places(talks: data.Conversations, found: FeatureFiles, group: list[int]) -> Tensor:
    places = data.rows(talks, group).places
    return places[found.at(places).label_logp[:, 0].isfinite()]


def _train(
    head: ExitHead, words: Words, settings: TrainSettings, allowed: float, report: Report
) -> int:
    """Update until the steps or the time are used up; returns the tokens seen."""
    generator = torch.Generator().manual_seed(settings.seed)
    optimizer = torch.optim.AdamW(
        head.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
    )
    begin, step, size = time.monotonic(), 0, settings.batch_tokens
    while (share := _share(step, time.monotonic() - begin, settings, allowed)) < 1:
        warm = min(1.0, (step + 1) / settings.warmup_steps)
        rate = settings.learning_rate * warm * max(settings.final_rate, 1 - share)
        for group in optimizer.param_groups:
            group["lr"] = rate
        some = torch.randint(len(words.places), (size,), generator=generator)
        with autocast(words.rows.device):
            loss = soft_loss(words.step(head, some), words.rows)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), settings.clip_norm)
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if step % REPORT_EVERY == 0:
            report(f"step {step}: loss {float(loss.detach()):.3f}, {share:.0%}")
    return step * size


def _share(step: int, seconds: float, settings: TrainSettings, allowed: float) -> float:
    """How much of the training is done."""
    return seconds / allowed if settings.steps is None else step / settings.steps


@torch.no_grad()
def _agreement(head: ExitHead, words: Words) -> float:
    """Share of places where the first choices of head and target agree."""
    agreed = 0
    for some in torch.arange(len(words.places)).split(JUDGED_AT_ONCE):
        agreed += int(hits(words.step(head, some), words.rows).sum())
    return agreed / max(1, len(words.places))
