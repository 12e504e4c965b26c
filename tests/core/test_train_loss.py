"""The loss by hand, and its gradient, which is made without keeping the logits."""

import math

import pytest
import torch
from torch import Tensor

from eagley_core.train import loss
from eagley_core.train.loss import hits, soft_loss
from eagley_core.train.unroll import Step
from eagley_core.train.vocab import OUTSIDE


def of_logits(logits: list, index: list, label_p: list) -> Step:
    """A step whose states are its logits, to be read through an identity."""
    return Step(torch.tensor(logits), torch.tensor(index), torch.tensor(label_p))


def test_soft_loss_by_hand() -> None:
    #  logits 0, 0 -> both drafts at one half; the target: 0.6 on draft 1, 0.3 outside
    step = of_logits([[0.0, 0.0]], [[1, OUTSIDE]], [[0.6, 0.0]])
    assert float(soft_loss(step, torch.eye(2))) == pytest.approx(0.6 * math.log(2))


def a_step(rows: int) -> tuple[Step, Tensor]:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(rows, 6, generator=generator, requires_grad=True)
    index = torch.stack([torch.randperm(9, generator=generator)[:4] for _ in range(rows)])
    index[1, 2] = OUTSIDE
    label_p = torch.rand(rows, 4, generator=generator).masked_fill(index == OUTSIDE, 0.0)
    return Step(states, index, label_p), torch.randn(9, 6, generator=generator)


def plain(step: Step, head_rows: Tensor) -> Tensor:
    """The same loss as torch would write it, with all logits at once."""
    logp = (step.states @ head_rows.mT).log_softmax(-1)
    return -(step.label_p * logp.gather(1, step.label_index.clamp_min(0))).sum(-1).mean()


@pytest.mark.parametrize("chunk", [9, 36, 2**22])
def test_gradient_is_that_of_the_plain_loss(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(loss, "CHUNK", chunk)
    step, head_rows = a_step(7)
    wanted = plain(step, head_rows)
    (gradient,) = torch.autograd.grad(wanted, step.states)
    found = soft_loss(step, head_rows)
    assert torch.allclose(found, wanted)
    assert torch.allclose(torch.autograd.grad(found, step.states)[0], gradient, atol=1e-6)


def test_nothing_to_predict_costs_nothing() -> None:
    step, head_rows = a_step(7)
    empty = Step(*(part[:0] for part in step))
    assert soft_loss(empty, head_rows).item() == 0.0


def test_hit_is_the_targets_first_choice_and_never_a_token_outside() -> None:
    index = [[1], [0], [OUTSIDE]]
    step = of_logits([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], index, [[1.0], [1.0], [1.0]])
    assert hits(step, torch.eye(2)).tolist() == [True, False, False]
