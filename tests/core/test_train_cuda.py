"""Training on a GPU, without a GPU: fake CUDA tensors refuse mixed devices and every read back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import DataDependentOutputException, unset_fake_temporarily

from eagley_core.train.batches import Batch
from eagley_core.train.loop import Material, Trainer
from eagley_core.train.loss import hits
from eagley_core.train.settings import TrainSettings
from eagley_core.train.start import Start
from eagley_core.train.unroll import Lookup, Rows, rows_by_step, unroll
from tests.core.fake_cuda import fake_cuda, on_device
from tests.core.talks import talks
from tests.core.tiny import VOCABULARY, tiny_head, tiny_target

LENGTH, N, LABELS = 12, 3, 4


@pytest.fixture
def on_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda: True)
    monkeypatch.setattr("eagley_core.train.unroll.rows_by_step", sent_rows)
    monkeypatch.setattr("eagley_core.train.loop.with_words", lambda frozen, words: frozen)
    with fake_cuda():
        yield


def sent_rows(is_response: Tensor, n_steps: int, device: torch.device) -> list[Rows]:
    """The rows are decided on the host, with values, and sent without waiting."""
    with unset_fake_temporarily():
        found = rows_by_step(is_response, n_steps, is_response.device)
    return [Rows(*(torch.ones(len(part), device=device).long() for part in r)) for r in found]


def cuda_start() -> tuple[Start, Lookup]:
    with unset_fake_temporarily():
        target = tiny_target()
        head = tiny_head(target)
    width, rows = target.hidden_size, head.config.draft_vocab_size
    start = Start(on_device(head), torch.ones(3, 1, device="cuda"))
    half = {"dtype": torch.bfloat16, "device": "cuda"}
    weight, head_rows = torch.ones(VOCABULARY, width, **half), torch.ones(rows, width, **half)
    index = torch.ones(VOCABULARY, device="cuda").long()
    return start, Lookup(weight, head_rows, index, weight, None)


def cuda_batch(width: int) -> Batch:
    with unset_fake_temporarily():
        is_response = torch.zeros(N, LENGTH, dtype=torch.bool)
        is_response[:, 5:] = True
    shape = (N, LENGTH, LABELS)
    return Batch(
        torch.ones(N, LENGTH, device="cuda").long(),
        torch.ones(N, LENGTH, 3, width, dtype=torch.bfloat16, device="cuda"),
        torch.ones(shape, device="cuda").long(),
        torch.ones(shape, device="cuda"),
        is_response,
        N * LENGTH,
        None,
    )


def test_the_losses_are_made_without_waiting_for_the_device(on_cuda: None, tmp_path: Path) -> None:
    """With the gradient of the lm_head's part, which the loss makes as it goes."""
    start, frozen = cuda_start()
    with unset_fake_temporarily():
        material = Material(talks(), None, [], [], frozen)
        trainer = Trainer(start, material, TrainSettings(steps=9), tmp_path)
    with torch.no_grad():  # torch's own backward needs a build with CUDA
        losses = trainer.losses(cuda_batch(start.head.config.hidden_size), 3)
    assert [part.device.type for part in losses] == ["cuda"] * 3
    with pytest.raises(DataDependentOutputException):
        losses[0].item()


def test_evaluation_counts_on_the_device(on_cuda: None) -> None:
    start, frozen = cuda_start()
    batch = cuda_batch(start.head.config.hidden_size)
    with torch.no_grad():
        for step in unroll(start, frozen, batch, 3):
            assert hits(step, frozen.head_rows).shape == (N * (LENGTH - 5),)
