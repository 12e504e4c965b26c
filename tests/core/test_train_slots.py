"""Many texts at once are the texts that each job gets alone."""

import random

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily

from eagley_core import host
from eagley_core.target import Target
from eagley_core.train.slots import MIN_P, Job, Slots, sampled
from tests.core.fake_cuda import fake_cuda, on_device
from tests.core.test_cuda_readiness import UncheckedTarget
from tests.core.tiny import FAMILIES, VOCABULARY, tiny_model, tiny_target

END, CAPACITY = 5, 90


def jobs(n: int = 24) -> list[Job]:
    rng = random.Random(0)

    def job(i: int) -> Job:
        prompt = tuple(rng.randrange(VOCABULARY) for _ in range(rng.randint(2, 50)))
        return Job(prompt, rng.randint(1, 30), float(i % 2), noise=i, tag=i)

    return [job(i) for i in range(n)]


def run(target: Target, some: list[Job], n_slots: int) -> dict[int, list[int]]:
    done: dict[int, list[int]] = {}
    Slots(target, n_slots, CAPACITY, [END]).run(some, lambda job, ids: done.update({job.tag: ids}))
    return done


def greedy(target: Target, job: Job) -> list[int]:
    """The continuation by one pass per token over the engine's own cache."""
    cache = target.new_cache(CAPACITY)
    ids: list[int] = []
    newest = list(job.prompt)
    while len(ids) < job.limit and ids[-1:] != [END]:
        hidden = target.prefill(torch.tensor(newest), cache).hidden[-1:]
        newest = [int(target.logits(hidden).argmax())]
        ids += newest
    return ids


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_texts_are_those_of_one_by_one_decoding(family: str) -> None:
    target = tiny_target(family)
    some = [job for job in jobs(12) if not job.temperature]
    assert run(target, some, 4) == {job.tag: greedy(target, job) for job in some}


def test_refilled_slots_keep_nothing_of_their_last_text() -> None:
    target = tiny_target()
    alone = {tag: ids for job in jobs() for tag, ids in run(target, [job], 1).items()}
    assert run(target, jobs(), 3) == alone
    assert run(target, jobs(), 10) == alone


def test_texts_end_at_their_end_or_at_their_limit() -> None:
    done = run(tiny_target(), jobs(), 6)
    limits = {job.tag: job.limit for job in jobs()}
    assert all(END not in ids[:-1] and len(ids) <= limits[tag] for tag, ids in done.items())
    assert any(ids[-1] == END for ids in done.values())
    assert any(len(ids) == limits[tag] for tag, ids in done.items())


def test_a_finished_text_may_be_followed_by_another() -> None:
    target = tiny_target()
    first = Job((3, 9), 4, 0.0, 0, "first")
    heard: list[object] = []

    def finish(job: Job, ids: list[int]) -> Job | None:
        heard.append(job.tag)
        return Job((*job.prompt, *ids, 7), 3, 0.0, 1, "second") if job is first else None

    Slots(target, 2, CAPACITY, []).run([first], finish)
    assert heard == ["first", "second"]


def test_sampling_follows_the_distribution_without_its_tail() -> None:
    p = torch.tensor([0.5, 0.3, 0.195, 0.5 * MIN_P / 2])
    draws = (torch.arange(2000) + 0.5) / 2000
    found = sampled(p.log().expand(2000, -1), draws).bincount(minlength=4) / 2000
    kept = p[:3] / p[:3].sum()
    assert torch.allclose(found[:3], kept, atol=2e-3)
    assert int(found[3]) == 0


@pytest.mark.parametrize("draw", [2.0**-60, 1.0])
def test_the_outermost_draws_hit_a_possible_token(draw: float) -> None:
    logits = torch.tensor([[-torch.inf, 1.0, 2.0, -torch.inf]])
    assert int(sampled(logits, torch.tensor([draw]))) in (1, 2)


def test_slots_run_on_a_gpu_and_read_back_once_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Tensor] = []

    def read(chosen: Tensor) -> list[int]:
        reads.append(chosen)
        return list(range(10, 10 + len(chosen)))

    monkeypatch.setattr(host, "read", read)
    with fake_cuda():
        with unset_fake_temporarily(), torch.device("meta"):
            model = tiny_model(FAMILIES["llama"])
        target = UncheckedTarget(on_device(model), "fake")
        done = run(target, [Job((3, 9), 4, 0.0, 0, tag) for tag in "ab"], 2)
    assert [len(ids) for ids in done.values()] == [4, 4]
    assert len(reads) == 2 + 3
    assert all(chosen.device.type == "cuda" for chosen in reads)


def test_sampling_runs_on_a_gpu() -> None:
    with fake_cuda():
        found = sampled(torch.ones(3, 8, device="cuda"), torch.ones(3, device="cuda"))
        assert found.device.type == "cuda"
