"""Conversations that the target writes itself: what is asked, how rounds are kept and continued."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eagley_core.train import data, generate, rounds, sources
from eagley_core.train.asks import Asker, beginning, entity, long_text
from eagley_core.train.generate import Writer
from eagley_core.train.order import Order, Writing
from eagley_core.train.pipeline import train
from eagley_core.train.rounds import Told, WriteSettings, finished, save, write_rounds
from eagley_core.train.settings import TrainSettings
from eagley_core.train.slots import Slots
from tests.core.talking import END, Words
from tests.core.tiny import tiny_target

SETTINGS = WriteSettings("tiny", "float32", 3, slots=5, round_size=8, capacity=400)
TEXT = "One day Anna Lee went to Paris with Tom. She liked the long bridges! Then she left."


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of a few tokens."""
    monkeypatch.setattr(generate, "USER_LIMIT", 6)
    monkeypatch.setattr(generate, "MATERIAL_LIMIT", 50)
    monkeypatch.setattr(generate, "LIMITS", (5, 9))


@pytest.fixture(scope="module")
def writer() -> Writer:
    target = tiny_target(max_position_embeddings=512)
    return Writer(target, Words(), Slots(target, 5, 400, [END]), SETTINGS.seed)


def test_asks_are_many_and_all_slots_are_filled() -> None:
    rng, asker = random.Random(0), Asker()
    made = [
        asker.ask(rng, {"article": [TEXT] * 3, "sentence": ["Guten Tag."]}) for _ in range(3000)
    ]
    assert len({ask.text for ask in made}) > 1500
    assert not [ask.text for ask in made if "{small}" in ask.text or "{name" in ask.text]
    kinds = {ask.kind for ask in made}
    assert {"about summarise", "about passages", "asked translate", "written code"} <= kinds


def test_without_texts_nothing_is_asked_about_one() -> None:
    rng, asker = random.Random(0), Asker()
    assert not [a for a in (asker.ask(rng, {}) for _ in range(500)) if a.kind.startswith("about")]


def test_a_name_is_the_same_throughout_a_text() -> None:
    filled = Asker().filled(random.Random(1), "{name} {name} {name2} {name2}", {}).split()
    assert filled[0] == filled[1] != filled[2] == filled[3]


def test_texts_are_cut_at_the_end_of_a_sentence() -> None:
    assert beginning(TEXT, 3) == "One day Anna Lee went to Paris with Tom."
    assert beginning(TEXT, 99) == TEXT
    assert finished("It rains. It pou") == "It rains."
    assert entity(random.Random(0), TEXT) in {"Anna Lee", "Paris", "Tom"}


def test_long_texts_are_put_together_from_short_ones() -> None:
    words = len(long_text(random.Random(0), {"story": [TEXT]}, 60).split())
    assert 50 <= words <= 4 * len(TEXT.split())


def test_conversations_mark_what_the_target_answered(writer: Writer) -> None:
    talks = writer.round(0, 40, {"article": [TEXT]})
    assert len(talks) > 30
    for talk in talks:
        for begin, end in talk.answers:
            assert 0 < begin < end <= len(talk.tokens)
        assert talk.answers[-1][1] == len(talk.tokens)
    twice = [talk for talk in talks if len(talk.answers) == 2]
    assert twice
    assert all(len(talk.messages) == 4 for talk in twice)


class KilledError(Exception):
    """Stands for a kill while a round is being written."""


def test_stopped_and_continued_writing_equals_writing_at_once(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(talks: list, path: Path) -> None:
        if path.name == "round-0001.npz":
            raise KilledError
        save(talks, path)

    whole = write_rounds(writer, SETTINGS, 20, tmp_path / "whole", quiet)
    with monkeypatch.context() as patched, pytest.raises(KilledError):
        patched.setattr(rounds, "save", killed)
        write_rounds(writer, SETTINGS, 20, tmp_path / "parts", quiet)
    parts = write_rounds(writer, SETTINGS, 20, tmp_path / "parts", quiet)
    assert len(whole) == len(parts) >= 3
    for one, other in zip(whole, parts, strict=True):
        assert data.read(one, 128).digest() == data.read(other, 128).digest()


def test_progress_is_told_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 20.0, 40.0, 60.0])
    monkeypatch.setattr(rounds.time, "monotonic", lambda: next(clock))
    lines: list[str] = []
    told = Told(10, lines.append)
    for _ in range(3):
        told.ended()
    assert lines == ["writing: 2 of 10 conversations, 2.7 min left"]


def test_a_target_that_fits_nothing_is_refused(tmp_path: Path) -> None:
    target = tiny_target()
    tight = Writer(target, Words(), Slots(target, 2, 9, [END]), 0)
    with pytest.raises(ValueError, match="no conversation fits the 9 tokens"):
        write_rounds(tight, replace(SETTINGS, capacity=9), 1, tmp_path, quiet)


def test_rounds_differ_and_are_read_as_data(writer: Writer, tmp_path: Path) -> None:
    files = write_rounds(writer, SETTINGS, 12, tmp_path, quiet)
    first, second = (data.read(file, 128) for file in files[:2])
    assert first.digest() != second.digest()
    assert len(np.load(files[0])["kinds"]) == len(first)


def test_rounds_of_other_settings_are_not_continued(writer: Writer, tmp_path: Path) -> None:
    write_rounds(writer, SETTINGS, 1, tmp_path, quiet)
    with pytest.raises(ValueError, match="other settings"):
        write_rounds(writer, replace(SETTINGS, seed=4), 1, tmp_path, quiet)


def test_a_target_without_chat_template_cannot_write() -> None:
    tokenizer = Words()
    tokenizer.chat_template = None
    with pytest.raises(ValueError, match="no chat template"):
        Writer(tiny_target(), tokenizer, Slots(tiny_target(), 1, 9, []), 0)


def test_one_command_writes_and_trains_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "CAPACITY", 300)
    monkeypatch.setattr(sources, "ROUNDS_OF", 2)
    target = tiny_target(num_hidden_layers=8, max_position_embeddings=512)
    apart = tmp_path / "apart.jsonl"
    apart.write_text('{"turns": ["Summarize the text above."]}')
    settings = TrainSettings(steps=2, draft_vocab=32, batch_tokens=400, evaluate_every=2)
    gb = 7 * 300 * target.new_cache(1).bytes_per_row / 1e9

    order = Order(
        files=(),
        counts=(),
        out=tmp_path / "head",
        work=tmp_path / "work",
        resume=False,
        command="train",
        exclude=(apart,),
        writing=Writing(20, memory_gb=gb),
        tokenizer=Words(),
    )
    train(target, order, settings, quiet)
    (used,) = json.loads((tmp_path / "head" / "training.json").read_text())["data"]
    assert used["written_by"] == "tiny llama"
    assert used["left_out_for_overlap"] == 0
    assert used["conversations"] <= 20
    files = {p: p.stat().st_mtime_ns for p in (tmp_path / "work" / "written").glob("*.npz")}
    train(target, order, settings, quiet)
    assert all(path.stat().st_mtime_ns == when for path, when in files.items())


def test_slots_are_bounded_by_memory() -> None:
    target = tiny_target()
    per_slot = 100 * target.new_cache(1).bytes_per_row
    slots = Slots(target, sources.slots_within(target, 100, 5.5 * per_slot / 1e9), 100, [])
    layers = [*slots.cache.layers, *slots.one.layers]
    held = sum(t.numel() * t.element_size() for layer in layers for t in (layer.keys, layer.values))
    assert slots.n == 4
    assert held <= 5.5 * per_slot
    with pytest.raises(ValueError, match="memory-gb must be at least"):
        sources.slots_within(target, 100, per_slot / 1e9)
