"""Heads in other programs' layouts: what is written is what those read, and nothing is lost."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from eagley_core.cli import main
from eagley_core.default_model import HEAD
from eagley_core.head_file import load_head, read_head, save_head
from eagley_core.heads.export import FORMATS, write_head
from eagley_core.lab import Lab
from eagley_core.target import Target
from tests.core.head_cases import CASES
from tests.core.published import DRAFT_IDS, FLAT, SPECFORGE, T2D, speculators, write
from tests.core.tiny import tiny_head, tiny_target

ALL = set(FORMATS)
SPECULATORS_ONLY = (
    "residual normed",
    "output normed",
    "input_norm",
    "qwen3",
    "with biases",
    "from state 1",
    "speculators slowed",
)
NOT_OFFICIAL = ("fc_norm", "llama3", "of two states", "inputs", "outputs", "rope_parameters")


def readers(name: str) -> set[str]:
    """Whose layouts can say this head, from what each program's code does with a config."""
    if name.startswith("eagle1"):
        return {"official"}
    if "fc bias" in name:
        return set()
    if name == "specforge without output norm":
        return {"specforge"}
    if any(word in name for word in SPECULATORS_ONLY):
        return {"speculators"}
    is_refused = (
        any(word in name for word in NOT_OFFICIAL) and name != "eagle3 with rope_parameters"
    )
    return ALL - {"official"} if is_refused else ALL


@pytest.fixture(scope="module")
def target() -> Target:
    return tiny_target(num_hidden_layers=8)


def stored(folder: Path) -> tuple[dict, dict[str, torch.Tensor]]:
    return json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")


def same(found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> bool:
    return found.keys() == wanted.keys() and all(
        torch.equal(found[name], wanted[name]) and found[name].dtype == wanted[name].dtype
        for name in wanted
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_a_head_reads_back_the_same_or_its_layout_is_refused(target, tmp_path, name, form):
    case = CASES[name](target)
    head = read_head(write(tmp_path / "a", case.config, case.tensors), target)
    if form not in readers(name):
        with pytest.raises(ValueError, match="has no words for|has one layout, official"):
            write_head(head, tmp_path / "b", form, target)
        assert not (tmp_path / "b").exists()
        return
    write_head(head, tmp_path / "b", form, target)
    again = read_head(tmp_path / "b", target)
    wanted = {name: t for name, t in again.state_dict().items() if name in head.state_dict()}
    assert same(dict(head.state_dict()), wanted)
    added = replace(
        head.config,
        has_lm_head=again.config.has_lm_head,
        predicts_embedding=False,
        embedding_rows=again.config.embedding_rows,
        max_positions=again.config.max_positions,
    )
    assert again.config == added


@pytest.mark.parametrize("name", CASES)
def test_a_saved_head_reads_back_the_same_or_is_refused(target, tmp_path, name):
    case = CASES[name](target)
    head = read_head(write(tmp_path / "a", case.config, case.tensors), target).bfloat16()
    if name in ("speculators, output normed", "speculators slowed"):
        with pytest.raises(ValueError, match="the compact layout has no words for"):
            save_head(head, tmp_path / "b")
        return
    save_head(head, tmp_path / "b")
    again = read_head(tmp_path / "b", target)
    assert again.config == head.config
    assert same(dict(again.state_dict()), dict(head.state_dict()))


@pytest.mark.parametrize(
    ("form", "config", "layer"),
    [
        ("official", {**FLAT, "draft_vocab_size": 32}, "midlayer"),
        ("speculators", speculators(), "layers.0"),
        ("specforge", SPECFORGE, "midlayer"),
    ],
)
def test_what_is_written_has_the_published_names(target, tmp_path, form, config, layer):
    head = tiny_head(target, state_ids=(2, 4, 5))
    write_head(head, tmp_path, form, target)
    found, tensors = stored(tmp_path)
    attention = {f"{layer}.self_attn.{n}_proj.weight" for n in "qkvo"}
    mlp = {f"{layer}.mlp.{n}_proj.weight" for n in ("gate", "up", "down")}
    norms = ("hidden_norm", "input_layernorm", "post_attention_layernorm")
    own = {"fc.weight", "norm.weight", "lm_head.weight", "d2t", "t2d"}
    assert tensors.keys() == attention | mlp | {f"{layer}.{n}.weight" for n in norms} | own
    left_out = {"pad_token_id", "speculators_version"}
    assert config.keys() - left_out <= found.keys()
    assert torch.equal(tensors["d2t"], DRAFT_IDS - torch.arange(32))
    assert torch.equal(tensors["t2d"], T2D)
    assert torch.equal(tensors["lm_head.weight"], target.head_weight[DRAFT_IDS])


def test_each_layout_names_the_states_its_own_way(target, tmp_path):
    for form in FORMATS:
        write_head(tiny_head(target, state_ids=(2, 4, 5)), tmp_path / form, form, target)
    official, for_vllm, for_sglang = (stored(tmp_path / form)[0] for form in FORMATS)
    assert "eagle_aux_hidden_state_layer_ids" not in official
    assert for_vllm["eagle_aux_hidden_state_layer_ids"] == [2, 4, 5]
    assert for_sglang["eagle_config"]["eagle_aux_hidden_state_layer_ids"] == [1, 3, 4]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_dtype_is_kept(target, tmp_path, dtype):
    write_head(tiny_head(target, state_ids=(2, 4, 5)).to(dtype), tmp_path, "official", target)
    tensors = stored(tmp_path)[1].values()
    assert {t.dtype for t in tensors} == {dtype, torch.int64, torch.bool}


@pytest.mark.parametrize("changes", [{"state_ids": (1, 2, 5)}, {"state_ids": (1, 4)}])
def test_a_list_that_sglang_would_misread_is_refused(target, tmp_path, changes):
    with pytest.raises(ValueError, match=r"no words for this head's states \[1, "):
        write_head(tiny_head(target, **changes), tmp_path, "specforge", target)


def test_a_whole_vocabulary_needs_no_map(target, tmp_path):
    head = tiny_head(target, draft_vocab_size=64, state_ids=(2, 4, 5))
    head.d2t.zero_()
    for form in FORMATS:
        write_head(head, tmp_path / form, form, target)
    official, for_vllm, for_sglang = (stored(tmp_path / form)[1] for form in FORMATS)
    assert not {"d2t", "t2d"} & (official.keys() | for_vllm.keys())
    assert not for_sglang["d2t"].any()
    assert for_sglang["t2d"].all()


def test_a_copy_of_the_targets_lm_head_is_the_targets(target, tmp_path):
    """So that the tokens of the context can still join the draft's vocabulary."""
    head = tiny_head(target, state_ids=(2, 4, 5)).bfloat16()
    write_head(head, tmp_path, "official", target)
    assert read_head(tmp_path, target).config.has_lm_head
    assert not load_head(tmp_path, target).config.has_lm_head


@pytest.fixture(scope="module")
def shipped(fetched, tmp_path_factory) -> Path:
    """The shipped head as the official code reads it."""
    out = tmp_path_factory.mktemp("shipped") / "official"
    assert main(["convert", str(HEAD), str(out), "--format", "official"]) == 0
    return out


def test_the_shipped_head_converts_and_drafts_as_before(shipped, lab_float32: Lab):
    target = lab_float32.engine.target
    compact, official = load_head(HEAD, target), load_head(shipped, target)
    assert same(dict(official.state_dict()), dict(compact.state_dict()))
    assert replace(official.config, max_positions=0) == compact.config
    rows = stored(shipped)[1]["lm_head.weight"]
    assert torch.equal(rows, target.head_weight[compact.target_ids].bfloat16())


def test_back_and_forth_gives_the_same_files(shipped, tmp_path, capsys):
    source = shipped
    for form in ("speculators", "specforge", "official"):
        arguments = ["convert", str(source), str(tmp_path / form), "--format", form, "--json"]
        assert main(arguments) == 0
        assert json.loads(capsys.readouterr().out) == {"head": str(tmp_path / form)}
        source = tmp_path / form
    (config, tensors), (again, found) = stored(shipped), stored(source)
    assert again == config
    assert same(found, tensors)


def test_what_is_there_is_not_overwritten(target, tmp_path, capsys):
    save_head(tiny_head(target), tmp_path)
    assert main(["convert", str(HEAD), str(tmp_path), "--format", "official"]) == 2
    assert "it exists and is no empty folder" in capsys.readouterr().err
