"""How far a draft is from the target, without keeping its logits."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core.train.unroll import Step

CHUNK = 2**22  # logits at a time: what bounds memory, and on a CPU what fits its caches


def soft_loss(step: Step, head_rows: Tensor) -> Tensor:
    """Mean cross-entropy with the target's probabilities of draft tokens; head_rows: [Vd, H].

    What the target puts on other tokens is left out, so a position where the draft vocabulary
    has little to say counts little.
    """
    return _SoftLoss.apply(step.states, head_rows, step.label_index, step.label_p)


def hits(step: Step, head_rows: Tensor) -> Tensor:
    """Where the draft's first choice is the target's first choice, [M] bool."""
    chunks = step.states.split(_chunk_rows(head_rows))
    chosen = [F.linear(part, head_rows.to(part.dtype)).argmax(-1) for part in chunks]
    return torch.cat(chosen) == step.label_index[:, 0]


def _chunk_rows(head_rows: Tensor) -> int:
    return max(1, CHUNK // len(head_rows))


class _SoftLoss(torch.autograd.Function):
    """Loss and gradient chunk by chunk: the logits of a batch never exist at once."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, head_rows: Tensor, index: Tensor, label_p: Tensor
    ) -> Tensor:
        head_rows = head_rows.to(states.dtype)
        total, gradients = states.new_zeros((), dtype=torch.float32), []
        size = _chunk_rows(head_rows)
        for part in zip(states.split(size), index.split(size), label_p.split(size), strict=True):
            loss, gradient = _chunk(*part, head_rows)
            total += loss
            gradients.append(gradient)
        scale = 1 / max(1, len(states))
        ctx.save_for_backward(torch.cat(gradients).mul_(scale))
        return total * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        (saved,) = ctx.saved_tensors
        return saved * gradient.to(saved.dtype), None, None, None


def _chunk(
    states: Tensor, index: Tensor, label_p: Tensor, head_rows: Tensor
) -> tuple[Tensor, Tensor]:
    """Sum of the losses, and its gradient by `states`."""
    logits = F.linear(states, head_rows)
    odds = logits.softmax(-1, dtype=logits.dtype)
    peak, at = logits.max(-1, keepdim=True)
    log_sum = peak.float() - odds.gather(1, at).float().log()
    index = index.clamp_min(0)
    loss = (label_p * (log_sum - logits.gather(1, index).float())).sum()
    odds *= label_p.sum(-1, keepdim=True).to(odds.dtype)
    odds.scatter_add_(1, index, -label_p.to(odds.dtype))
    return loss, odds @ head_rows
