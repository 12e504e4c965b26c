"""Training of an exit head, on tiny random targets."""

import argparse
import json

import pytest
import torch

from eagley_core.commands import train as command
from eagley_core.config import DecodeConfig
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.exit_file import load_exit_head, save_exit_head
from eagley_core.exit_head import ExitConfig, ExitHead
from eagley_core.target import Target
from eagley_core.train.exit_head import ExitShape, train_exit_head
from eagley_core.train.order import Order
from eagley_core.train.settings import TrainSettings
from tests.core.talks import talks, write
from tests.core.tiny import FAMILIES, TinyEngine, tiny_model, tiny_target, tokens

SETTINGS = TrainSettings(
    steps=150, draft_vocab=64, batch_tokens=64, warmup_steps=2, learning_rate=1e-2
)


@pytest.fixture(scope="module")
def target() -> Target:
    return tiny_target()


def an_order(folder) -> Order:
    file = write(folder / "talks.npz", talks(150))
    return Order((file,), (None,), folder / "head", folder / "work", False, "train")


def trained(target: Target, folder, **changes: object) -> dict:
    settings = TrainSettings(**{**vars_of(SETTINGS), **changes})
    return train_exit_head(target, an_order(folder), settings, ExitShape(1, 16), print)


def vars_of(settings: TrainSettings) -> dict:
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}


def learnable() -> Target:
    """Behind layer 3 there is a gated MLP only, as in the head."""
    model = tiny_model(FAMILIES["llama"])
    with torch.no_grad():
        model.get_decoder().layers[3].self_attn.o_proj.weight.zero_()
    return Target(model, "learnable")


def test_training_brings_the_head_nearer_to_the_target(tmp_path):
    target, shape = learnable(), ExitShape(3, 64)
    found = []
    for folder, steps in (("a", 1), ("b", 400)):
        (tmp_path / folder).mkdir()
        settings = TrainSettings(**{**vars_of(SETTINGS), "steps": steps})
        result = train_exit_head(target, an_order(tmp_path / folder), settings, shape, print)
        found.append(result["acceptance_by_depth"][0])
    assert found[1] > found[0] + 0.1
    assert result["tokens_seen"] == 400 * 64


def test_the_stored_head_drafts_and_says_where_it_came_from(target, tmp_path):
    result = trained(target, tmp_path, steps=5)
    head = load_exit_head(tmp_path / "head", target)
    assert head.config.layer == 1
    origin = json.loads((tmp_path / "head" / "training.json").read_text())
    assert origin["acceptance"] == result["acceptance_by_depth"][0]
    assert origin["shape"]["layer"] == 1
    engine = TinyEngine(target, EarlyExitDraft(head, target, "exit"))
    config = DecodeConfig("eagley", 20, reuse=("shared-kv",))
    assert tokens(engine, [5, 9], config) == tokens(engine, [5, 9], DecodeConfig("vanilla", 20))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--kind early-exit", "needs --layer"),
        ("--kind early-exit --layer 2 --resume", "no --resume or --from"),
        ("--kind early-exit --layer 2 --single-share 0.3", "--single-share is for .* eagle3"),
        ("--layer 2", "--layer 2 is for training of kind early-exit"),
    ],
)
def test_an_option_of_the_other_kind_is_refused(tmp_path, words, message):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    files = ["--data", str(tmp_path / "talks.npz"), "--out", str(tmp_path / "head")]
    with pytest.raises(ValueError, match=message):
        command.run(parser.parse_args([*words.split(), *files]))


@pytest.mark.parametrize("layer", [0, 4])
def test_there_are_layers_on_both_sides_of_an_exit(target, tmp_path, layer):
    with pytest.raises(ValueError, match=f"layer {layer} to exit at: there are 4 layers"):
        train_exit_head(target, an_order(tmp_path), SETTINGS, ExitShape(layer), print)


def test_a_head_is_stored_and_read_again(target, tmp_path):
    head = ExitHead(ExitConfig(2, target.hidden_size, 8, 16)).to(torch.bfloat16)
    head.target_ids.copy_(torch.arange(16) * 3)
    save_exit_head(head, tmp_path)
    found = load_exit_head(tmp_path, target)
    for name, tensor in head.state_dict().items():
        assert torch.equal(found.state_dict()[name], tensor.to(found.state_dict()[name].dtype))


@pytest.mark.parametrize(
    ("config", "ids", "message"),
    [
        (ExitConfig(2, 48, 8, 16), 1, "is for a target of hidden size 48, tiny llama has 32"),
        (ExitConfig(2, 32, 8, 16), 9, "token ids outside the target's vocabulary"),
    ],
)
def test_a_head_of_another_target_is_refused(target, tmp_path, config, ids, message):
    head = ExitHead(config)
    head.target_ids.copy_(torch.arange(16) * ids)
    save_exit_head(head, tmp_path)
    with pytest.raises(ValueError, match=message):
        load_exit_head(tmp_path, target)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "config.json").unlink(), "has no config.json"),
        (lambda f: (f / "model.safetensors").unlink(), "has no model.safetensors"),
        (lambda f: (f / "model.safetensors").write_bytes(b"1234"), "cannot be read"),
        (lambda f: (f / "config.json").write_text("{}"), "is no exit head"),
        (lambda f: (f / "config.json").write_text("{"), "cannot be read: Expecting"),
    ],
)
def test_what_is_no_exit_head_is_refused_in_one_line(target, tmp_path, change, message):
    save_exit_head(ExitHead(ExitConfig(2, 32, 8, 16)), tmp_path)
    change(tmp_path)
    with pytest.raises(ValueError, match=message) as error:
        load_exit_head(tmp_path, target)
    assert "\n" not in str(error.value)
