"""What `--draft` names, and what is refused by name."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split
from transformers import PreTrainedTokenizerFast

from eagley_core.config import DecodeConfig
from eagley_core.draft import EagleDraft
from eagley_core.head_file import save_head
from eagley_core.lab import Lab, Prompt, open_lab
from eagley_core.load import ModelChoice
from eagley_core.model_draft import ModelDraft
from eagley_core.opening import Opening
from eagley_core.target import Target
from tests.core.tiny import FAMILIES, LETTERS, tiny_head, tiny_model


def save(folder: Path, letters: str = LETTERS, family: str = "llama", **special: str) -> Target:
    """A model with a tokenizer of letters."""
    model = tiny_model(FAMILIES[family])
    model.save_pretrained(folder)
    words = Tokenizer(BPE({letter: i for i, letter in enumerate(letters)}, []))
    words.pre_tokenizer = Split("", "isolated")
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(folder)
    return Target(model, "tiny")


@pytest.fixture
def lab_of(tmp_path, monkeypatch):
    """Opens a lab with the draft of this name, beside other drafts in one folder."""
    monkeypatch.setenv("EAGLEY_CACHE", str(tmp_path / "cache"))
    target = save(tmp_path / "target")
    save_head(tiny_head(target), tmp_path / "head")
    save(tmp_path / "head with tokenizer")  # some heads are published with their target's
    save_head(tiny_head(target), tmp_path / "head with tokenizer")
    save(tmp_path / "small", family="qwen3")

    def opened(draft: str) -> Lab:
        choice = ModelChoice(str(tmp_path / "target"), dtype="float32")
        word = str(tmp_path / draft) if (tmp_path / draft).is_dir() else draft
        return open_lab(choice, word, lambda what, fraction: None)

    return opened


@pytest.mark.parametrize(
    ("word", "kind", "name"),
    [
        ("head", EagleDraft, "head"),
        ("head with tokenizer", EagleDraft, "head with tokenizer"),
        ("small", ModelDraft, "small"),
        ("int8", ModelDraft, "int8 copy of the target"),
        ("none", type(None), "none"),
    ],
)
def test_every_kind_is_known_by_its_word_or_its_content(lab_of, word, kind, name):
    lab = lab_of(word)
    assert isinstance(lab.engine.draft, kind)
    prompt, config = Prompt("fjWHcrP"), DecodeConfig("eagley", 12)
    trace = lab.recorded(prompt, config, list(lab.steps(prompt, config)))
    assert trace.draft == name
    vanilla = [t for s in lab.steps(prompt, DecodeConfig("vanilla", 12)) for t in s.emitted]
    assert list(trace.output_ids) == vanilla


@pytest.mark.parametrize(
    ("letters", "special", "message"),
    [
        (LETTERS[:-1], {}, "63 tokens instead of 64"),
        (LETTERS[1] + LETTERS[0] + LETTERS[2:], {}, "token '[ab]' is [01] instead of [01]"),
        (LETTERS, {"eos_token": "b"}, r"special tokens \['b'\] instead of \[\]"),
    ],
)
def test_another_tokenizer_is_refused(lab_of, tmp_path, letters, special, message):
    save(tmp_path / "other", letters, **special)
    with pytest.raises(ValueError, match=f"draft other has another tokenizer than .*: {message}"):
        lab_of("other")


def test_a_shorter_context_is_refused(lab_of, tmp_path):
    config = json.loads((tmp_path / "small" / "config.json").read_text())
    config["max_position_embeddings"] = 50
    (tmp_path / "small" / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match="context of 50 tokens.*set the context to 50"):
        lab_of("small")


def test_what_is_no_draft_is_one_line(lab_of):
    with pytest.raises(ValueError, match="draft /not/a/folder") as error:
        lab_of("/not/a/folder")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("draft", ["early-exit", "early-exit:"])
def test_an_early_exit_without_its_folder_is_refused_before_anything_is_loaded(draft):
    with pytest.raises(ValueError, match="names no folder: early-exit:FOLDER"):
        Opening(draft=draft)
