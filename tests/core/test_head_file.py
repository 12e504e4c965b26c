"""Heads on disk: what fits is read, what does not is named."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from eagley_core.head_file import load_head, save_head
from tests.core.tiny import tiny_head


@pytest.fixture
def folder(target, tmp_path) -> Path:
    save_head(tiny_head(target, has_fc_norm=True, rope_theta=777.0), tmp_path)
    return tmp_path


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    settings = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in settings.items() if v != "absent"}))


def change_tensors(folder: Path, **changes: torch.Tensor | None) -> None:
    tensors = load_file(folder / "model.safetensors")
    for name, tensor in changes.items():
        tensors[name.replace("__", ".")] = tensor
    save_file({k: v for k, v in tensors.items() if v is not None}, folder / "model.safetensors")


def test_a_saved_head_reads_back_but_for_bfloat16(target, folder):
    head, wanted = load_head(folder, target), tiny_head(target, has_fc_norm=True, rope_theta=777.0)
    assert head.config == wanted.config
    for name, tensor in wanted.state_dict().items():
        found = head.state_dict()[name]
        assert torch.equal(
            found, tensor.bfloat16().to(found.dtype) if tensor.is_floating_point() else tensor
        )


def test_a_loaded_head_has_the_targets_dtype(target, folder):
    assert {p.dtype for p in load_head(folder, target).parameters()} == {target.dtype}


def test_an_own_lm_head_wins_and_is_kept(target, tmp_path):
    save_head(tiny_head(target, has_lm_head=True), tmp_path)
    assert load_head(tmp_path, target).config.has_lm_head


def test_t2d_is_not_needed(target, folder):
    change_tensors(folder, t2d=torch.ones(64, dtype=torch.bool))
    assert load_head(folder, target).config.rope_theta == 777.0


def test_without_ids_the_official_states_are_captured(target, folder):
    change_config(folder, eagle_aux_hidden_state_layer_ids=None)
    assert load_head(folder, target).config.state_ids == (2, 2, 1)


def test_without_a_head_dim_it_is_the_width_per_head(target, folder):
    change_config(folder, head_dim=None)
    assert load_head(folder, target).config.head_dim == 8


def test_rope_theta_is_read_from_the_newer_layout_too(target, folder):
    change_config(folder, rope_theta="absent", rope_parameters={"rope_theta": 500.0})
    assert load_head(folder, target).config.rope_theta == 500.0


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_scaling": {"type": "linear", "factor": 2.0}},
        {"rope_parameters": {"rope_type": "yarn"}},
    ],
)
def test_rotary_scaling_is_refused_by_name(target, folder, scaling):
    change_config(folder, **scaling)
    with pytest.raises(ValueError, match="(linear|yarn) rotary positions: not supported"):
        load_head(folder, target)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(target, folder, name):
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"has no {name}"):
        load_head(folder, target)


def test_a_missing_folder_is_named(target, tmp_path):
    with pytest.raises(ValueError, match="nowhere has no config.json"):
        load_head(tmp_path / "nowhere", target)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"hidden_size": 32}', "3"])
def test_a_config_that_is_no_heads_is_refused(target, folder, content):
    (folder / "config.json").write_text(content)
    with pytest.raises(ValueError, match=r"config.json is not an EAGLE-3 head's"):
        load_head(folder, target)


@pytest.mark.parametrize("keep", [0, 7, 100, 2000])
def test_truncated_weights_are_refused(target, folder, keep):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"model.safetensors cannot be read"):
        load_head(folder, target)


def test_a_head_for_another_target_is_refused_with_both_sizes(target, folder):
    change_config(folder, target_hidden_size=48)
    message = "for a target of hidden size 48, tiny llama has 32"
    with pytest.raises(ValueError, match=message):
        load_head(folder, target)


def test_a_head_of_another_width_than_the_target_is_refused(target, tmp_path):
    save_head(tiny_head(target, hidden_size=24, head_dim=6), tmp_path)
    with pytest.raises(ValueError, match="has width 24, .*tiny llama.* 32"):
        load_head(tmp_path, target)


def test_missing_unexpected_and_misshapen_tensors_are_all_listed(target, folder):
    change_tensors(
        folder, norm__weight=None, odd__weight=torch.zeros(2), fc__weight=torch.zeros(32, 7)
    )
    with pytest.raises(ValueError, match="does not fit EAGLE-3") as error:
        load_head(folder, target)
    for problem in ("missing norm.weight", "unexpected odd.weight", "[32, 7] instead of [32, 96]"):
        assert problem in str(error.value)


@pytest.mark.parametrize("offset", [64, -1])
def test_a_vocabulary_outside_the_targets_is_refused(target, folder, offset):
    change_tensors(folder, d2t=torch.full((32,), offset))
    with pytest.raises(ValueError, match="outside the target's vocabulary"):
        load_head(folder, target)
