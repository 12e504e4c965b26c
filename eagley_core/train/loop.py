"""The training loop: one unrolled step at first, then several, until the budget is used up."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor

from eagley_core.train import checkpoint
from eagley_core.train.batches import Batch, by_length, collate, endless, tempered
from eagley_core.train.checkpoint import Progress
from eagley_core.train.data import Conversations
from eagley_core.train.evaluate import acceptance_by_depth, autocast, expected_length
from eagley_core.train.features import FeatureFiles, Report
from eagley_core.train.loss import soft_loss
from eagley_core.train.settings import TrainSettings
from eagley_core.train.start import Start
from eagley_core.train.unroll import Lookup, unroll, with_words

CURVE_CONVERSATIONS = 40  # of those held out, for the curve; all of them at the end


@dataclass(frozen=True, eq=False)
class Material:
    """What a run learns from and is judged by."""

    data: Conversations
    features: FeatureFiles
    train: list[int]
    held: list[int]
    frozen: Lookup

    def batches(self, order: list[int], limit: int) -> Iterator[Batch]:
        device = self.frozen.head_rows.device
        groups = by_length(self.data, order, limit)
        return (collate(self.data, self.features, group, limit, device) for group in groups)


class Trainer:
    """One training run, from its beginning or from a checkpoint in the work folder."""

    def __init__(
        self, start: Start, material: Material, settings: TrainSettings, work: Path
    ) -> None:
        self.start, self.material, self.settings = start, material, settings
        self.work, self.progress = work, Progress()
        rate, decay = settings.learning_rate, settings.weight_decay
        weights = start.head.parameters()
        self.optimizer = torch.optim.AdamW(
            weights, rate, (0.9, 0.95), weight_decay=decay, fused=True
        )
        identity = {**asdict(settings), "data": material.data.digest()}
        del identity["budget_minutes"]  # the schedule of a run is fixed when it begins
        self.state = checkpoint.State(start, self.optimizer, identity)

    def resume(self) -> None:
        """Continue from the work folder's checkpoint."""
        self.progress = checkpoint.restore(self.work, self.state)

    def run(self, keep: Callable[[Start], None], report: Report) -> Progress:
        """Train to the end. `keep` is called with every head that is better than all before."""
        settings, progress, losses = self.settings, self.progress, []
        groups = endless(
            self.material.data, self.material.train, settings.batch_tokens, settings.seed
        )
        begin = time.monotonic() - progress.seconds
        for group in islice(groups, progress.step, None):
            if self.share_done() >= 1 or progress.worse_for == settings.patience:
                break
            losses.append(self.update(group))
            progress.seconds = time.monotonic() - begin
            if progress.step % settings.evaluate_every == 0 or self.share_done() >= 1:
                self.look(float(torch.stack(losses).mean()), keep, report)
                progress.seconds = time.monotonic() - begin
                checkpoint.save(self.work, progress, self.state)
                losses.clear()
        return progress

    def share_done(self) -> float:
        """How much of the run is over, 0 to 1."""
        if self.settings.steps is not None:
            return self.progress.step / self.settings.steps
        return self.progress.seconds / self.progress.allowed

    def n_steps(self) -> int:
        """How many steps are unrolled now."""
        is_single = self.share_done() < self.settings.single_share
        return 1 if is_single else self.settings.unrolled_steps

    def update(self, group: list[int]) -> Tensor:
        """One optimizer step on the conversations of `group`; returns the loss, on the device."""
        head, settings, material = self.start.head, self.settings, self.material
        limit, device = settings.batch_tokens, self.start.gain.device
        batch = collate(material.data, material.features, group, limit, device)
        n_steps = self.n_steps()
        self.optimizer.param_groups[0]["lr"] = self.rate()
        losses = self.losses(batch, n_steps)
        loss = sum(settings.step_weight**step * part for step, part in enumerate(losses))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), settings.clip_norm)
        self.optimizer.step()
        self.progress.step += 1
        self.progress.tokens_seen += batch.n_tokens
        return losses[0].detach()

    def losses(self, batch: Batch, n_steps: int) -> list[Tensor]:
        """The loss of each unrolled step, on the device."""
        frozen = with_words(self.material.frozen, batch.words)
        batch = tempered(batch, self.settings.label_temperature)
        with autocast(batch.tokens.device):
            steps = unroll(self.start, frozen, batch, n_steps)
            return [soft_loss(step, frozen.head_rows) for step in steps]

    def rate(self) -> float:
        """Learning rate now: up, level, and down to its floor, all in straight lines."""
        settings = self.settings
        warm = min(1.0, (self.progress.step + 1) / settings.warmup_steps)
        left = 1 - self.share_done()
        fall = min(1.0, left / settings.decay_share) if settings.decay_share else 1.0
        return settings.learning_rate * warm * (fall + (1 - fall) * settings.final_rate)

    def look(self, loss: float, keep: Callable[[Start], None], report: Report) -> None:
        """Judge the head on some held-out conversations; add a point to the curve."""
        progress, held = self.progress, self.material.held[:CURVE_CONVERSATIONS]
        acceptance = judge(self.start, self.material, held, self.settings)
        point = {"step": progress.step, "tokens_seen": progress.tokens_seen, "loss": loss}
        progress.curve.append({**point, "acceptance_by_depth": acceptance})
        length = expected_length(acceptance[: self.n_steps()])  # as deep as it is trained
        progress.worse_for += 1
        if length > progress.best:
            progress.best, progress.worse_for = length, 0
            keep(self.start)
        done = self.share_done()
        left = progress.seconds * (1 - done) / done / 60 if done else 0.0
        shares = " ".join(f"{a:.3f}" for a in acceptance)
        report(f"step {progress.step}: loss {loss:.3f}, held-out {shares}, {left:.1f} min left")


def judge(
    start: Start, material: Material, conversations: list[int], settings: TrainSettings
) -> list[float]:
    """Acceptance by depth on these conversations."""
    batches = material.batches(conversations, settings.batch_tokens)
    return acceptance_by_depth(start, material.frozen, batches, settings.unrolled_steps)
