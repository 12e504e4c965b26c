"""From a folder on disk to text and trace; bad choices are one clear line."""

import threading
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.decoders import Fuse
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split
from transformers import PreTrainedTokenizerFast

from eagley_core.config import DecodeConfig
from eagley_core.head_file import save_head
from eagley_core.lab import Lab, Prompt, open_lab
from eagley_core.live import LiveEngine
from eagley_core.load import ModelChoice, load_target
from eagley_core.progress import Progress
from eagley_core.target import Target
from eagley_core.trace import Trace
from tests.core.tiny import FAMILIES, LETTERS, tiny_head, tiny_model


def quiet(what: str, fraction: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path]:
    """A target with a tokenizer of letters, and a head for it."""
    root = tmp_path_factory.mktemp("models")
    model = tiny_model(FAMILIES["llama"])
    model.save_pretrained(root / "target")
    letters = Tokenizer(BPE({letter: i for i, letter in enumerate(LETTERS)}, []))
    letters.pre_tokenizer, letters.decoder = Split("", "isolated"), Fuse()
    PreTrainedTokenizerFast(tokenizer_object=letters).save_pretrained(root / "target")
    save_head(tiny_head(Target(model, "tiny")), root / "head")
    return root / "target", root / "head"


@pytest.fixture(scope="module")
def lab(folders, tmp_path_factory) -> Lab:
    target, head = folders
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EAGLEY_CACHE", str(tmp_path_factory.mktemp("cache")))
        return open_lab(ModelChoice(str(target), dtype="float32"), str(head), quiet)


def test_a_folder_becomes_a_lab_that_records(lab):
    prompt = Prompt("fjWHcrP", name="letters")
    config = DecodeConfig("eagley", 12)
    trace = lab.recorded(prompt, config, list(lab.steps(prompt, config)))
    assert trace.prompt_ids == tuple(LETTERS.index(letter) for letter in "fjWHcrP")
    assert trace.text == "".join(LETTERS[i] for i in trace.output_ids)
    assert (trace.draft, trace.name) == ("head", "letters")


def test_vanilla_is_recorded_without_a_draft(lab):
    prompt, config = Prompt("fj"), DecodeConfig("vanilla", 3)
    trace = lab.recorded(prompt, config, list(lab.steps(prompt, config)))
    assert trace.draft == "none"


def test_another_target_has_no_draft_unless_one_is_named(folders):
    lab = open_lab(ModelChoice(str(folders[0]), dtype="float32"), None, quiet)
    assert lab.draft_name == "none"
    with pytest.raises(ValueError, match="method eagle needs a draft"):
        list(lab.steps(Prompt("fj"), DecodeConfig("eagle", 3)))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_target_is_loaded_in_the_dtype_that_was_asked_for(folders, dtype):
    target, _ = load_target(ModelChoice(str(folders[0]), dtype=dtype))
    assert target.dtype == getattr(torch, dtype)


def test_a_context_can_be_asked_for(folders):
    assert load_target(ModelChoice(str(folders[0]), context=50))[0].context == 50


def test_a_folder_without_a_model_is_one_line(tmp_path):
    with pytest.raises(ValueError, match="cannot load target") as error:
        load_target(ModelChoice(str(tmp_path)))
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_path_that_is_not_there_is_one_line():
    with pytest.raises(ValueError, match="cannot load target '/not/a/folder'") as error:
        load_target(ModelChoice("/not/a/folder"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_truncated_weights_are_one_line(folders, tmp_path, keep):
    for file in folders[0].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(ValueError, match="cannot load target") as error:
        load_target(ModelChoice(str(tmp_path)))
    assert "\n" not in str(error.value)


def test_a_damaged_config_is_one_line(folders, tmp_path):
    for file in folders[0].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match="cannot load target"):
        load_target(ModelChoice(str(tmp_path)))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"dtype": "int3"}, "dtype must be one of auto, .*, got 'int3'"),
        ({"device": "tpu"}, "device must be one of auto, cpu, cuda, got 'tpu'"),
    ],
)
def test_a_bad_choice_is_named(choice, message):
    with pytest.raises(ValueError, match=message):
        ModelChoice(**choice)


def test_cuda_where_there_is_none_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="torch sees no CUDA device"):
        ModelChoice(device="cuda")


@pytest.fixture
def live(folders, tmp_path, monkeypatch) -> LiveEngine:
    monkeypatch.setenv("EAGLEY_CACHE", str(tmp_path))
    return LiveEngine(str(folders[0]), str(folders[1]), dtype="float32")


def test_a_live_run_streams_and_ends_with_its_trace(live):
    assert live.state() is None
    *progress, trace = live.stream("fjWHcrP", DecodeConfig("eagley", 15), lambda: False)
    assert isinstance(trace, Trace)
    assert all(isinstance(p, Progress) for p in progress)
    streamed = [token for p in progress for token in p.tokens]
    assert "".join(text for text, _ in streamed) == trace.text
    assert [source for _, source in streamed] == [e.source for e in trace.emitted]
    assert [p.new_tokens for p in progress][-1] == 15
    assert [p.seconds for p in progress] == sorted(p.seconds for p in progress)


def test_a_cancelled_live_run_still_gives_its_trace(live):
    asked = iter([False, False, True])
    *progress, trace = live.stream("fjWHcrP", DecodeConfig("eagley", 50), lambda: next(asked))
    assert trace.finish_reason == "cancelled"
    assert len(trace.output_ids) == progress[-1].new_tokens < 50


def test_a_live_run_that_is_left_frees_the_engine(live):
    stream = live.stream("fjWHcrP", DecodeConfig("eagley", 50), lambda: False)
    next(stream)
    stream.close()
    *_, trace = live.stream("fj", DecodeConfig("eagle", 5), lambda: False)
    assert len(trace.output_ids) == 5


def test_visitors_take_turns(live):
    found: dict[str, Trace] = {}

    def visit(prompt: str) -> None:
        *_, found[prompt] = live.stream(prompt, DecodeConfig("eagley", 20), lambda: False)

    visitors = [threading.Thread(target=visit, args=(p,)) for p in ("fj", "HcrP", "WWW")]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join(60)
    for prompt, trace in found.items():
        *_, alone = live.stream(prompt, DecodeConfig("eagley", 20), lambda: False)
        assert alone.output_ids == trace.output_ids
    assert len(found) == 3


def test_a_model_that_cannot_be_loaded_says_why_and_is_tried_again(tmp_path):
    live = LiveEngine(str(tmp_path), None)
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot load target"):
            next(live.stream("a", DecodeConfig("vanilla"), lambda: False))
        assert "cannot load target" in live.state()
        assert live.progress() is None


def test_an_empty_prompt_is_one_line(live):
    with pytest.raises(ValueError, match="the prompt has no tokens"):
        list(live.stream("", DecodeConfig("vanilla", 3), lambda: False))
