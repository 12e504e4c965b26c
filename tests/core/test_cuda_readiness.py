"""A run on a GPU, without a GPU: fake CUDA tensors refuse mixed devices and every read back.

What the engine reads goes through `host.read`; here it is replaced by plausible numbers, and
counted. Anything else that waits for the device raises.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import DataDependentOutputException, unset_fake_temporarily

from eagley_core import host
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.draft import EagleDraft
from eagley_core.engine import Engine
from eagley_core.invariance import Invariance
from eagley_core.rule import Rule
from eagley_core.store import WIDTH
from eagley_core.target import Target
from tests.core.fake_cuda import fake_cuda, on_device
from tests.core.tiny import (
    COSTS,
    FAMILIES,
    VOCABULARY,
    TinyEngine,
    decode,
    tiny_head,
    tiny_model,
)

PROMPT = [5, 9, 60, 33, 2, 17, 41]


class UncheckedTarget(Target):
    """Start-up checks read results back; they are not part of a run."""

    def _check_logits(self) -> None:
        pass


@pytest.fixture
def on_cuda(monkeypatch) -> Iterator[None]:
    monkeypatch.setattr("eagley_core.generation.synchronize", lambda device: None)
    monkeypatch.setattr("eagley_core.engine.self_test", lambda target: Invariance(True, 2, 0.0))
    with fake_cuda():
        yield


def cuda_engine(monkeypatch, family: str = "llama") -> Engine:
    """Weights are made without values: random ones would need CUDA's generator."""
    with unset_fake_temporarily(), torch.device("meta"):
        config = deepcopy(FAMILIES[family])
        config.num_hidden_layers = 2
        model = tiny_model(config)
    target = UncheckedTarget(on_device(model), "fake")
    with unset_fake_temporarily(), torch.device("meta"):
        head = tiny_head(target)
    monkeypatch.setattr(host, "read", lambda ids: list(range(len(ids))))  # the head's vocabulary
    draft = EagleDraft(on_device(head), target, "fake head")
    return TinyEngine(target, draft)


BEST = 5 + 2 * WIDTH  # columns of a pass with its likeliest tokens
ALL = BEST + 5  # and with what a rule weighs


class Reads:
    """Stands in for host.read. Every read matrix gets numbers of its own shape.

    A pool [4, P] gets tokens, parents and falling odds; a pass [N, 5 or more] gets rows that form
    a chain of equal tokens, whose first two are accepted by every rule.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, values: Tensor) -> list:
        assert values.device.type == "cuda"
        self.count += 1
        rows, columns = values.shape
        return _pool(columns) if rows == 4 and columns > ALL else _pass(rows, columns)


def _pool(size: int) -> list:
    tokens = [float(i % VOCABULARY) for i in range(size)]
    parents = [-1.0] * 4 + [float((i - 4) // 4) for i in range(4, size)]
    return [tokens, parents, [-1.0] * size, [-1.0 - i / 100 for i in range(size)]]


def _pass(rows: int, columns: int) -> list:
    likeliest = [float(token) for token in range(WIDTH)] + [0.1] * WIDTH
    if columns == 2 * WIDTH:  # of the prompt: the likeliest tokens only
        return [likeliest] * rows
    choices = [7.0 if row < 2 else 9.0 for row in range(rows)]
    heads = [[7.0, max(0, row - 1), choices[row], -1.0, -1.0] for row in range(rows)]
    likely, unlikely = [0.9, 0.9, 0.0, 0.1, 9.0], [0.1, 0.9, 3.0, 0.1, 9.0]
    weighed = [likely if row <= 2 else unlikely for row in range(rows)]
    return [
        head
        + (weighed[row] if columns in (10, ALL) else [])
        + (likeliest * (columns in (BEST, ALL)))
        for row, head in enumerate(heads)
    ]


def reads_by_step(monkeypatch, config: DecodeConfig, engine: Engine) -> list[int]:
    """How often each step, the prefill first, read back."""
    reads = Reads()
    monkeypatch.setattr(host, "read", reads)
    counts, before = [], 0
    for step in engine.steps(PROMPT, config, decode):
        counts.append(reads.count - before)
        before = reads.count
        assert step.hidden.device.type == "cuda"
    return counts


DYNAMIC = TreeShape("dynamic", 8, 3, 2)
CONFIGS: dict[str, tuple[DecodeConfig, int]] = {
    "vanilla": (DecodeConfig("vanilla", 4), 1),
    "fixed": (DecodeConfig("eagle", 8, tree=TreeShape("fixed")), 1),
    "dynamic": (DecodeConfig("eagle", 8, tree=DYNAMIC), 1),
    "penalty": (DecodeConfig("eagle", 8, tree=DYNAMIC, repetition_penalty=1.3), 1),
    "cost model": (DecodeConfig("eagle", 8), 2),
    "eagley": (DecodeConfig("eagley", 8), 2),
    "eagley fast": (DecodeConfig("eagley", 8, numerics="fast"), 2),
    "lenience": (DecodeConfig("eagle", 8, tree=DYNAMIC, rule=Rule("lenience", (0.5,))), 1),
    "eagley top-k": (DecodeConfig("eagley", 8, rule=Rule("top-k", (1,))), 2),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_step_reads_back_no_more_than_promised(on_cuda, monkeypatch, name):
    config, allowed = CONFIGS[name]
    prefill, *others = reads_by_step(monkeypatch, config, cuda_engine(monkeypatch))
    assert prefill <= 2
    assert len(others) >= 2
    assert set(others) == {allowed}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_runs_on_cuda(on_cuda, monkeypatch, family):
    config = DecodeConfig("eagle", 4, tree=DYNAMIC)
    assert len(reads_by_step(monkeypatch, config, cuda_engine(monkeypatch, family))) == 2


def test_sampling_reads_back_no_more(on_cuda, monkeypatch):
    """The noise is made on the host and sent; that must not cost a read."""

    def noise(self, first: int, n_positions: int) -> Tensor:
        return torch.zeros(n_positions, VOCABULARY, device="cuda")

    monkeypatch.setattr("eagley_core.sampling.Noise.at", noise)
    config = DecodeConfig("eagle", 8, temperature=0.8, top_k=9, top_p=0.9, tree=DYNAMIC)
    _, *others = reads_by_step(monkeypatch, config, cuda_engine(monkeypatch))
    assert set(others) == {1}


@pytest.mark.parametrize("read", [lambda t: t.tolist(), lambda t: t.item(), lambda t: bool(t)])
def test_the_fake_device_does_refuse_reads(on_cuda, read: Callable):
    with pytest.raises(DataDependentOutputException):
        read(torch.ones(1, device="cuda").sum())


def test_the_costs_of_these_engines_are_made_by_hand():
    assert COSTS.verify[1] == COSTS.verify[8] < COSTS.verify[9]
