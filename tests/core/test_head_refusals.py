"""What is no head, or not this target's, is refused in one line that says what it was taken for."""

import json
import os
from pathlib import Path

import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError

from eagley_core.head_file import load_head
from eagley_core.heads import checkpoint
from eagley_core.target import Target
from tests.core.head_cases import CASES, OFFICIAL
from tests.core.published import (
    FLAT,
    SPECFORGE,
    Sizes,
    eagle1,
    eagle3,
    speculators,
    vocabulary,
    write,
)
from tests.core.tiny import FAMILIES, tiny_model, tiny_target

FORMATS = {
    "official EAGLE-1": "eagle1 without bias",
    "speculators EAGLE-1": "eagle1 of speculators",
    "official EAGLE-3": "eagle3",
    "SpecForge EAGLE-3": "specforge",
    "speculators EAGLE-3": "speculators",
}


@pytest.fixture(scope="module")
def target() -> Target:
    return tiny_target(num_hidden_layers=8)


def refusal(folder: Path, target: Target) -> str:
    with pytest.raises(ValueError) as error:
        load_head(folder, target)
    assert "\n" not in str(error.value)
    return str(error.value)


def changed(tensors: dict, **changes: torch.Tensor | None) -> dict:
    """By the end of the tensor's name."""
    found = dict(tensors)
    for end, tensor in changes.items():
        name = next((n for n in tensors if n.endswith(end.replace("__", "."))), end)
        found.pop(name, None)
        if tensor is not None:
            found[name] = tensor
    return found


@pytest.mark.parametrize("taken_for", FORMATS)
def test_all_that_does_not_fit_is_listed_in_one_message(target, tmp_path, taken_for):
    case = CASES[FORMATS[taken_for]](target)
    tensors = changed(
        case.tensors, down_proj__weight=None, odd=torch.zeros(2), k_proj__weight=torch.zeros(3, 4)
    )
    message = refusal(write(tmp_path, case.config, tensors), target)
    assert f"taken for {taken_for}, does not fit tiny llama: missing " in message
    assert "mlp.down_proj.weight; unexpected odd; " in message
    assert "self_attn.k_proj.weight is [3, 4] instead of [16, " in message


@pytest.mark.parametrize("taken_for", FORMATS)
@pytest.mark.parametrize("end", ["q_proj.weight", "post_attention_layernorm.weight", "fc.weight"])
def test_each_tensor_is_missed(target, tmp_path, taken_for, end):
    case = CASES[FORMATS[taken_for]](target)
    tensors = {name: t for name, t in case.tensors.items() if not name.endswith(end)}
    message = refusal(write(tmp_path, case.config, tensors), target)
    assert "missing " in message
    assert end in message.split("missing ")[1]


def test_a_head_for_another_vocabulary_is_refused_with_both_sizes(target, tmp_path):
    w = eagle1()
    message = refusal(write(tmp_path, {**FLAT, "vocab_size": 50}, w), target)
    assert "it is for a vocabulary of 50, the target has 64" in message


def test_the_map_of_another_vocabulary_is_refused(target, tmp_path):
    tensors = {**eagle3(), **vocabulary(), "t2d": torch.ones(50, dtype=torch.bool)}
    assert "t2d is [50] instead of [64]" in refusal(write(tmp_path, OFFICIAL, tensors), target)


def test_fewer_states_than_the_fusion_reads_are_refused(target, tmp_path):
    config = {**SPECFORGE, "eagle_config": {"eagle_aux_hidden_state_layer_ids": [2, 4]}}
    message = refusal(write(tmp_path, config, {**eagle3(), **vocabulary()}), target)
    assert "fc.weight is [32, 96] instead of [32, 64]" in message


def test_a_bias_of_one_projection_alone_is_refused(target, tmp_path):
    sizes = Sizes(biases=("midlayer.self_attn.q_proj",))
    message = refusal(write(tmp_path, OFFICIAL, {**eagle3(sizes=sizes), **vocabulary()}), target)
    assert "missing midlayer.self_attn.k_proj.bias, midlayer.self_attn.v_proj.bias" in message


def test_more_than_one_layer_is_refused_by_name(target, tmp_path):
    extra = eagle3("layers.1")
    tensors = {**eagle3("layers.0"), **{n: extra[n] for n in extra if "layers.1" in n}}
    message = refusal(write(tmp_path, speculators(), {**tensors, **vocabulary()}), target)
    assert message.endswith("further layers, which are not supported: layers.1")


def test_norms_of_old_speculators_are_refused_by_name(target, tmp_path):
    case = CASES["eagle1 of speculators"](target)
    tensors = {**case.tensors, "embedding_layernorm.weight": torch.ones(32)}
    message = refusal(write(tmp_path, case.config, tensors), target)
    assert "taken for speculators EAGLE-1" in message
    assert message.endswith("unexpected embedding_layernorm.weight")


def test_a_narrow_head_needs_an_embedding_of_its_own(target, tmp_path):
    case = CASES["eagle3 of another width"](target)
    tensors = changed(case.tensors, embed_tokens__weight=None)
    message = refusal(write(tmp_path, case.config, tensors), target)
    assert "its width is 24, but it has no embedding of its own" in message


def test_a_norm_that_eagle1_heads_do_not_have_is_refused(target, tmp_path):
    tensors = {**eagle1(), "layers.0.input_layernorm.weight": torch.ones(32)}
    message = refusal(write(tmp_path, FLAT, tensors), target)
    assert "official EAGLE-1, " in message
    assert message.endswith("unexpected layers.0.input_layernorm.weight")


def test_a_whole_model_is_no_head(target, tmp_path):
    tiny_model(FAMILIES["llama"]).save_pretrained(tmp_path)
    assert "is no EAGLE head: it has model.embed_tokens.weight" in refusal(tmp_path, target)


def test_no_head_fits_a_target_with_the_wrong_width(tmp_path):
    other = tiny_target(num_hidden_layers=8, hidden_size=48, num_attention_heads=4)
    case = CASES["eagle3"](other)
    message = refusal(write(tmp_path, case.config, case.tensors), other)
    assert "it is for a target of hidden size 32, the target has 48" in message


class Evil:
    def __reduce__(self) -> tuple:
        return os.system, ("true",)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", "evil", [1], {"a": 1}])
def test_a_bin_file_that_is_not_tensors_is_refused(target, tmp_path, content):
    write(tmp_path, OFFICIAL, {})
    (tmp_path / "model.safetensors").unlink()
    path = tmp_path / "pytorch_model.bin"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(Evil() if content == "evil" else content, path)
    assert "pytorch_model.bin " in refusal(tmp_path, target)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({}, "has no weight_map"),
        ({"weight_map": {}}, "has no weight_map"),
        ({"weight_map": {"fc.weight": "gone.safetensors"}}, "gone.safetensors, which is not there"),
        ({"weight_map": {"fc.weight": "../model.safetensors"}}, "which is not there"),
    ],
)
def test_a_broken_index_is_refused(target, tmp_path, index, message):
    folder = write(tmp_path / "head", OFFICIAL, eagle3(), "safetensors shards")
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert message in refusal(folder, target)


def test_a_tensor_that_is_in_no_shard_is_named(target, tmp_path):
    folder = write(tmp_path, OFFICIAL, eagle3(), "safetensors shards")
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    index["weight_map"]["odd.weight"] = index["weight_map"]["fc.weight"]
    path.write_text(json.dumps(index))
    assert "tells of odd.weight, which is in no shard" in refusal(folder, target)


def test_without_weights_the_folder_is_refused(target, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert "has no model.safetensors and no pytorch_model.bin" in refusal(tmp_path, target)


@pytest.mark.parametrize(
    "error", [LocalEntryNotFoundError("no connection\nand much more"), OSError("no connection")]
)
def test_a_hub_that_does_not_answer_is_one_line(target, monkeypatch, error):
    def fail(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr(checkpoint, "snapshot_download", fail)
    with pytest.raises(
        ValueError, match="'some/head' is no folder, and cannot be got from"
    ) as told:
        load_head("some/head", target)
    assert "no connection" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("form", ["safetensors", "bin", "bin shards"])
def test_a_head_comes_from_the_hub(target, tmp_path, monkeypatch, form):
    case = CASES["eagle3"](target)
    folder, asked = write(tmp_path, case.config, case.tensors, form), []

    def download(repository: str, allow_patterns: list[str]) -> str:
        asked.append(allow_patterns[1])
        return str(folder)

    monkeypatch.setattr(checkpoint, "snapshot_download", download)
    assert load_head("some/head", target).config.draft_vocab_size == 32
    assert asked == ["*.safetensors", "*.bin"][: 1 + form.startswith("bin")]
