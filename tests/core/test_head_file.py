"""Heads on disk: what fits is read, what does not is named."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from eagley_core.head_file import load_head, save_head
from tests.core.tiny import tiny_head, tiny_target


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


def test_without_ids_the_official_states_are_captured(folder):
    deep = tiny_target(num_hidden_layers=10)
    change_config(folder, eagle_aux_hidden_state_layer_ids=None)
    assert load_head(folder, deep).config.state_ids == (2, 5, 7)


def test_a_target_too_shallow_for_the_official_states_is_refused(target, folder):
    change_config(folder, eagle_aux_hidden_state_layer_ids=None)
    with pytest.raises(ValueError, match="4 layers is too shallow"):
        load_head(folder, target)


@pytest.mark.parametrize("ids", [[1, 2, 5], [-1, 2, 3], ["1", 2, 3]])
def test_states_that_the_target_does_not_have_are_refused(target, folder, ids):
    change_config(folder, eagle_aux_hidden_state_layer_ids=ids)
    with pytest.raises(ValueError, match="reads state (5|-1|1), tiny llama has 4 layers"):
        load_head(folder, target)


def test_without_a_head_dim_it_is_the_width_per_head(target, folder):
    change_config(folder, head_dim=None)
    assert load_head(folder, target).config.head_dim == 8


def test_rope_theta_is_read_from_the_newer_layout_too(target, folder):
    change_config(folder, rope_theta="absent", rope_parameters={"rope_theta": 500.0})
    assert load_head(folder, target).config.rope_theta == 500.0


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "dynamic"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "yarn"),
        ({"rope_scaling": {"type": "default", "mrope_section": [2, 1, 1]}}, "mrope"),
        ({"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}}, "partial"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1e6}}}, "several kinds of"),
    ],
)
def test_other_rotary_scaling_is_refused_by_name(target, folder, told, kind):
    change_config(folder, **told)
    with pytest.raises(ValueError, match=f"uses {kind} rotary positions: not supported"):
        load_head(folder, target)


def test_rotary_scaling_without_its_figures_is_refused(target, folder):
    change_config(folder, rope_scaling={"rope_type": "llama3", "factor": 2.0})
    with pytest.raises(ValueError, match="llama3 rotary positions lack 'low_freq_factor'"):
        load_head(folder, target)


@pytest.mark.parametrize(
    ("told", "kind"),
    [({"hidden_act": "gelu"}, "gelu"), ({"layer_types": ["sliding_attention"]}, "sliding_attent")],
)
def test_other_layers_are_refused_by_name(target, folder, told, kind):
    change_config(folder, **told)
    with pytest.raises(ValueError, match=f"uses {kind}.*: not supported"):
        load_head(folder, target)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_missing_file_is_named(target, folder, name):
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"has no {name}"):
        load_head(folder, target)


def test_a_missing_folder_is_named(target, tmp_path):
    with pytest.raises(ValueError, match="nowhere: there is no such folder"):
        load_head(tmp_path / "nowhere", target)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "config.json cannot be read"),
        ("{", "config.json cannot be read"),
        ("[]", "config.json is not a JSON object"),
        ("3", "config.json is not a JSON object"),
        ("{}", "config.json is not an EAGLE head's: hidden_size is None"),
        ('{"hidden_size": 32}', "config.json is not an EAGLE head's: num_attention_heads is None"),
        ('{"hidden_size": "32"}', "config.json is not an EAGLE head's: hidden_size is 32"),
        ('{"rope_scaling": 3}', "config.json is not an EAGLE head's"),
        ('{"eagle_config": [1]}', "config.json is not an EAGLE head's"),
    ],
)
def test_a_config_that_is_no_heads_is_refused(target, folder, content, message):
    (folder / "config.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        load_head(folder, target)


def test_a_head_that_fuses_no_states_is_refused(target, folder):
    change_config(folder, eagle_config={"use_aux_hidden_state": False})
    with pytest.raises(ValueError, match="fuses no states of the target: not supported"):
        load_head(folder, target)


def test_heads_that_do_not_share_keys_evenly_are_refused(target, folder):
    change_config(folder, num_key_value_heads=3)
    with pytest.raises(ValueError, match="has 4 heads for 3 of keys"):
        load_head(folder, target)


@pytest.mark.parametrize("keep", [0, 7, 100, 2000])
def test_truncated_weights_are_refused(target, folder, keep):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"model.safetensors cannot be read"):
        load_head(folder, target)


def test_a_head_for_another_target_is_refused_with_both_sizes(target, folder):
    change_config(folder, target_hidden_size=48)
    message = "for a target of hidden size 48, the target has 32"
    with pytest.raises(ValueError, match=message):
        load_head(folder, target)


def test_a_head_of_another_width_than_the_target_is_refused(target, tmp_path):
    save_head(tiny_head(target, hidden_size=24, head_dim=6), tmp_path)
    with pytest.raises(
        ValueError, match="width is 24, but it has no embedding and no lm_head of its own, .* 32"
    ):
        load_head(tmp_path, target)


def test_missing_unexpected_and_misshapen_tensors_are_all_listed(target, folder):
    change_tensors(
        folder, norm__weight=None, odd__weight=torch.zeros(2), fc__weight=torch.zeros(32, 7)
    )
    with pytest.raises(ValueError, match="taken for SpecForge EAGLE-3, does not fit") as error:
        load_head(folder, target)
    for problem in ("missing norm.weight", "unexpected odd.weight", "[32, 7] instead of [32, 96]"):
        assert problem in str(error.value)


@pytest.mark.parametrize(
    ("d2t", "message"),
    [
        (torch.full((32,), 64), "outside the target's vocabulary"),
        (torch.full((32,), -1), "outside the target's vocabulary"),
        (-torch.arange(32), "two draft tokens to one of the target's"),
        (torch.zeros(32), "d2t is torch.float32, not whole numbers"),
        (None, "missing d2t"),
    ],
)
def test_a_vocabulary_that_cannot_be_is_refused(target, folder, d2t, message):
    change_tensors(folder, d2t=d2t)
    with pytest.raises(ValueError, match=message):
        load_head(folder, target)
