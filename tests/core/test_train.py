"""Laws of training, on tiny random targets."""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from eagley_core.commands import train as command
from eagley_core.head_file import load_head
from eagley_core.target import Target
from eagley_core.train.loop import Material, Trainer
from eagley_core.train.order import Order
from eagley_core.train.pipeline import train
from eagley_core.train.record import whole_curve
from eagley_core.train.settings import TrainSettings
from eagley_core.train.start import Start, new_head
from tests.core.talks import talks, write
from tests.core.tiny import VOCABULARY, tiny_target

SETTINGS = TrainSettings(
    steps=12, draft_vocab=32, batch_tokens=64, warmup_steps=2, evaluate_every=4, single_share=0.5
)


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def deep() -> Target:
    return tiny_target(num_hidden_layers=8)


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


def test_training_further_starts_where_the_first_head_stood(deep: Target, tmp_path: Path) -> None:
    settings = replace(SETTINGS, steps=80, evaluate_every=10, draft_vocab=VOCABULARY)
    train(deep, an_order(tmp_path), settings, quiet)
    order = replace(an_order(tmp_path, "further"), first_head=tmp_path / "head")
    train(deep, order, replace(settings, steps=10, learning_rate=1e-4), quiet)
    first, further = (record(tmp_path / name)["curve"] for name in ("head", "further"))
    assert further[0]["loss"] < (first[0]["loss"] + first[-1]["loss"]) / 2
    origin = record(tmp_path / "further")
    assert origin["first_head"]["head"] == "head"
    assert origin["first_head"]["training"] == record(tmp_path / "head")
    tokens = [point["tokens_seen"] for point in whole_curve(origin)]
    assert tokens == sorted(tokens)
    assert len(tokens) == 8 + 1
    assert "depth 3" in (tmp_path / "further" / "training.svg").read_text()


def record(folder: Path) -> dict:
    return json.loads((folder / "training.json").read_text())


def test_training_stops_when_it_brings_nothing(deep: Target, tmp_path: Path) -> None:
    settings = replace(SETTINGS, steps=40, learning_rate=0.0, evaluate_every=2, patience=3)
    train(deep, an_order(tmp_path), settings, quiet)
    assert record(tmp_path / "head")["step"] == 2 + 3 * 2  # the first evaluation was the best


def test_rate_rises_stays_and_falls(deep: Target, tmp_path: Path) -> None:
    settings = replace(SETTINGS, steps=100, warmup_steps=10, decay_share=0.5, final_rate=0.1)
    trainer = Trainer(tiny_start(deep), no_material(), settings, tmp_path)
    rates = []
    for step in (0, 9, 30, 50, 75, 100):
        trainer.progress.step = step
        rates.append(trainer.rate() / settings.learning_rate)
    assert rates == pytest.approx([0.1, 1.0, 1.0, 1.0, 0.55, 0.1])


def tiny_start(target: Target) -> Start:
    return new_head(target, torch.arange(32), torch.ones(5, 3, target.hidden_size), seed=0)


def no_material() -> Material:
    return Material(talks(), None, [], [], None)


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


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget_minutes": 0}, "budget_minutes must be above 0, got 0"),
        ({"batch_tokens": 0}, "batch_tokens must be at least 1, got 0"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"decay_share": 1.5}, "decay_share must be between 0 and 1, got 1.5"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TrainSettings(**changes)


def test_command_refuses_counts_that_do_not_fit_the_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 numbers for 1 files"):
        command.run(arguments(tmp_path, "--conversations", "20", "10"))


def arguments(folder: Path, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    file = write(folder / "talks.npz", talks())
    plain = ["--data", str(file), "--out", str(folder / "head"), "--steps", "2"]
    return parser.parse_args([*plain, "--draft-vocab", "32", *more])
