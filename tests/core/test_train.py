"""Laws of training, on tiny random targets."""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from eagley_core.commands import train as command
from eagley_core.head_file import load_head
from eagley_core.target import Target
from eagley_core.train import data, features
from eagley_core.train.data import Conversations
from eagley_core.train.order import Order
from eagley_core.train.pipeline import train
from eagley_core.train.settings import TrainSettings
from tests.core.tiny import VOCABULARY, tiny_target

SETTINGS = TrainSettings(
    steps=12, draft_vocab=32, batch_tokens=64, warmup_steps=2, evaluate_every=4, single_share=0.5
)


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def deep() -> Target:
    return tiny_target(num_hidden_layers=8)


def talks(n: int = 30, seed: int = 0) -> Conversations:
    """Random conversations of 8 to 20 tokens whose answers begin at 4."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(8, 21, (n,), generator=generator)
    tokens = torch.randint(0, VOCABULARY, (int(lengths.sum()),), generator=generator)
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    return Conversations(tokens.int(), offsets, torch.full((n,), 4))


def write(path: Path, made: Conversations, **changes: np.ndarray) -> Path:
    arrays = {
        "tokens": made.tokens.numpy().astype(np.uint16),
        "offsets": made.offsets.numpy(),
        "response_start": made.response_start.numpy().astype(np.int32),
    }
    np.savez(path, **{**arrays, **changes})
    return path


def an_order(folder: Path, name: str = "head", resume: bool = False) -> Order:
    file = folder / "talks.npz"
    if not file.is_file():
        write(file, talks())
    return Order((file,), (None,), folder / name, folder / f"{name}-work", resume, "train")


class KilledError(Exception):
    """Stands for a kill in the middle of a run."""


def stop_at(step: int) -> Callable[[str], None]:
    def report(line: str) -> None:
        if line.startswith(f"step {step}:"):
            raise KilledError

    return report


def weights(folder: Path, target: Target) -> dict[str, Tensor]:
    return load_head(folder, target).state_dict()


@pytest.mark.parametrize("step", [4, 8])
def test_interrupted_and_resumed_run_equals_uninterrupted_run(
    deep: Target, tmp_path: Path, step: int
) -> None:
    whole = train(deep, an_order(tmp_path, "whole"), SETTINGS, quiet)
    with pytest.raises(KilledError):
        train(deep, an_order(tmp_path, "parts"), SETTINGS, stop_at(step + 4))
    resumed = train(deep, an_order(tmp_path, "parts", resume=True), SETTINGS, quiet)
    assert resumed["tokens_seen"] == whole["tokens_seen"]
    assert resumed["acceptance_by_depth"] == whole["acceptance_by_depth"]
    one, other = weights(tmp_path / "whole", deep), weights(tmp_path / "parts", deep)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_training_lowers_the_loss(deep: Target, tmp_path: Path) -> None:
    settings = replace(SETTINGS, steps=80, evaluate_every=10, draft_vocab=VOCABULARY)
    train(deep, an_order(tmp_path), settings, quiet)
    curve = json.loads((tmp_path / "head" / "training.json").read_text())["curve"]
    assert curve[-1]["loss"] < 0.8 * curve[0]["loss"]


def test_resuming_without_a_checkpoint_is_refused(deep: Target, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to resume"):
        train(deep, an_order(tmp_path, resume=True), SETTINGS, quiet)


def test_resuming_with_other_settings_is_refused_by_name(deep: Target, tmp_path: Path) -> None:
    train(deep, an_order(tmp_path), SETTINGS, quiet)
    with pytest.raises(ValueError, match="another draft_vocab"):
        train(deep, an_order(tmp_path, resume=True), replace(SETTINGS, draft_vocab=16), quiet)


def test_shallow_target_is_refused(target: Target, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="4 layers is too shallow"):
        train(target, an_order(tmp_path), SETTINGS, quiet)


def test_features_are_those_of_each_conversation_alone(deep: Target, tmp_path: Path) -> None:
    made = talks()
    deep.capture((2, 4, 5))
    found = features.compute(deep, made, len(made), tmp_path, quiet)
    begin, end = int(made.offsets[7]), int(made.offsets[8])
    tokens = made.tokens[begin:end].long()
    alone = deep.prefill(tokens, deep.new_cache(len(tokens)))
    assert torch.allclose(found.states[begin:end].float(), alone.features, rtol=1e-2, atol=1e-2)
    logp = deep.logits(alone.hidden).log_softmax(-1).topk(features.LABELS)
    answer = slice(begin + 3, end - 1)  # the tokens that response tokens follow
    assert torch.equal(found.label_ids[answer].long(), logp.indices[3:-1])
    assert torch.allclose(found.label_logp[answer].float(), logp.values[3:-1], atol=1e-2)
    assert bool((found.label_logp[begin : begin + 3] == -torch.inf).all())


def test_features_continue_where_they_were_stopped(
    deep: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = talks()
    deep.capture((2, 4, 5))
    monkeypatch.setattr(features, "PASS_TOKENS", 40)
    monkeypatch.setattr(features, "PASSES_PER_SHARD", 2)
    whole = features.compute(deep, made, len(made), tmp_path / "whole", quiet)
    features.compute(deep, made, 11, tmp_path / "parts", quiet)
    lines: list[str] = []
    parts = features.compute(deep, made, len(made), tmp_path / "parts", lines.append)
    assert "pass 2 of" not in lines[0]
    assert torch.equal(parts.states, whole.states)
    assert torch.equal(parts.label_ids, whole.label_ids)


def test_features_of_other_data_are_not_mixed(deep: Target, tmp_path: Path) -> None:
    deep.capture((2, 4, 5))
    features.compute(deep, talks(), 5, tmp_path, quiet)
    with pytest.raises(ValueError, match="other data"):
        features.compute(deep, talks(seed=1), 5, tmp_path, quiet)


def test_features_of_several_files_are_addressed_as_one(deep: Target, tmp_path: Path) -> None:
    deep.capture((2, 4, 5))
    both = [talks(), talks(seed=1)]
    parts = [
        features.compute(deep, made, 9, tmp_path / str(n), quiet) for n, made in enumerate(both)
    ]
    used = [data.first(made, 9) for made in both]
    joined = data.join(used)
    found = features.FeatureFiles(parts, [len(part.tokens) for part in used])
    places = data.rows(joined, [10, 3]).places
    begin, end = int(both[1].offsets[1]), int(both[1].offsets[2])
    assert torch.equal(found.at(places).states[: end - begin], parts[1].states[begin:end])
    assert torch.equal(joined.tokens[places[: end - begin]], both[1].tokens[begin:end])


def test_two_answers_to_one_question_are_on_the_same_side() -> None:
    once = talks(200)
    twice = data.join([once, once])
    train_on, held = data.split(twice, seed=0)
    assert {i + 200 for i in held if i < 200} == {i for i in held if i >= 200}
    assert len(held) >= data.HELD_OUT_LEAST
    assert sorted(train_on + held) == list(range(400))


def test_split_depends_on_the_seed_only() -> None:
    made = talks(300)
    assert data.split(made, 0) == data.split(made, 0)
    assert data.split(made, 0)[1] != data.split(made, 1)[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"offsets": np.array([0, 5])}, "2 offsets do not fit 30 conversations"),
        ({"tokens": np.array([1.5])}, "whole numbers"),
        ({"response_start": np.full(30, 99)}, "outside its conversation"),
        ({"tokens": np.array([[1]])}, "list of whole numbers"),
    ],
)
def test_bad_arrays_are_refused_by_name(tmp_path: Path, changes: dict, words: str) -> None:
    file = write(tmp_path / "bad.npz", talks(), **changes)
    with pytest.raises(ValueError, match=words):
        data.read(file, VOCABULARY)


def test_token_outside_the_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not among the target's 8"):
        data.read(write(tmp_path / "talks.npz", talks()), 8)


def test_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    objects = np.array([print], dtype=object)
    with pytest.raises(ValueError, match="cannot be read"):
        data.read(write(tmp_path / "bad.npz", talks(), tokens=objects), VOCABULARY)


def test_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("tokens")
    with pytest.raises(ValueError, match="cannot be read"):
        data.read(tmp_path / "bad.npz", VOCABULARY)


def test_command_trains_and_prints_the_contract(
    deep: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eagley_core.load.load_target", lambda *_: (deep, None))
    result = command.run(arguments(tmp_path, "--conversations", "20"))
    assert result["head"] == str(tmp_path / "head")
    assert len(result["acceptance_by_depth"]) == 3
    record = json.loads((tmp_path / "head" / "training.json").read_text())
    assert record["data"][0]["conversations"] == 20
    assert record["acceptance_by_depth"] == result["acceptance_by_depth"]
    assert "head" in command.words(result)


def test_command_refuses_counts_that_do_not_fit_the_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 numbers for 1 files"):
        command.run(arguments(tmp_path, "--conversations", "20", "10"))


def arguments(folder: Path, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    file = write(folder / "talks.npz", talks())
    plain = ["--data", str(file), "--out", str(folder / "head"), "--steps", "2"]
    return parser.parse_args([*plain, "--draft-vocab", "32", *more])
