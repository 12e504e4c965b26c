"""Conversations from JSON lines, and those that are left out."""

import json
from pathlib import Path

import pytest
import torch

from eagley_core.train import data
from eagley_core.train.chats import read_chats, tokens_of
from eagley_core.train.overlap import kept_apart, runs, without
from tests.core.talking import END, Words
from tests.core.talks import talks

ASKED = [
    {"role": "system", "content": "w9"},
    {"role": "user", "content": "w10 w11"},
    {"role": "assistant", "content": "w12"},
    {"role": "user", "content": "w13"},
    {"role": "assistant", "content": "w14 w15"},
]


def write(path: Path, *lines: dict) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")
    return path


def test_every_assistant_turn_is_an_answer() -> None:
    tokens, spans = tokens_of(ASKED, Words())
    assert tokens == [3, 9, END, 1, 10, 11, END, 2, 12, END, 1, 13, END, 2, 14, 15, END]
    assert [tokens[begin:end] for begin, end in spans] == [[12, END], [14, 15, END]]


def test_a_turn_that_changes_when_others_follow_is_no_answer() -> None:
    class Forgetful(Words):
        """Leaves a first answer's text out once it is no longer the last turn."""

        def apply_chat_template(self, messages: list[dict], **options: object) -> str:
            shown = [
                m if m["role"] != "assistant" or m is messages[-1] else {**m, "content": "w20"}
                for m in messages
            ]
            return super().apply_chat_template(shown, **options)

    tokens, spans = tokens_of(ASKED, Forgetful())
    assert [tokens[begin:end] for begin, end in spans] == [[14, 15, END]]


def test_both_forms_of_json_lines_are_read_alike(tmp_path: Path) -> None:
    names = {"user": "human", "assistant": "gpt", "system": "system"}
    shared = [{"from": names[m["role"]], "value": m["content"]} for m in ASKED]
    unanswered = {"messages": ASKED[:2]}
    one, dropped = read_chats(write(tmp_path / "a", {"messages": ASKED}, unanswered), Words())
    other, _ = read_chats(write(tmp_path / "b", {"conversations": shared}), Words())
    assert dropped == 1
    assert one.digest() == other.digest()
    assert one.tokens[one.answers].tolist() == [12, END, 14, 15, END]
    assert one.response_start.tolist() == [14]


@pytest.mark.parametrize(
    "line",
    [
        {"text": "w3"},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": 1, "content": 2}]},
        {"messages": 3},
    ],
)
def test_a_line_that_is_no_conversation_is_named(tmp_path: Path, line: dict) -> None:
    file = write(tmp_path / "bad", {"messages": ASKED}, line)
    with pytest.raises(ValueError, match="line 2 is no conversation"):
        read_chats(file, Words())


def test_a_file_without_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no conversation with an answer"):
        read_chats(write(tmp_path / "x", {"messages": ASKED[:2]}), Words())


def test_runs_are_thirteen_words_without_case_and_punctuation() -> None:
    text = "One, two three four five six seven eight nine ten eleven twelve THIRTEEN."
    assert list(runs(text)) == [
        "one two three four five six seven eight nine ten eleven twelve thirteen"
    ]
    assert len(list(runs(text + " fourteen"))) == 2
    assert not list(runs(text.rsplit(" ", 1)[0]))


def test_conversations_that_share_thirteen_words_are_left_out(tmp_path: Path) -> None:
    made = talks(9)
    decode = Words().decode
    begin = int(made.offsets[4])
    words = [int(t) for t in made.tokens[begin : int(made.offsets[5])] if t != END]
    long = data.join([made, made])  # so that twice the same is left out twice
    n = 13
    assert len(words) >= n
    apart = kept_apart([write(tmp_path / "x", {"turns": [decode(words[:n]).upper()]})])
    clean, dropped = without(long, apart, decode)
    assert dropped == 2
    assert torch.equal(clean.lengths, torch.cat([made.lengths[[0, 1, 2, 3, 5, 6, 7, 8]]] * 2))
    shorter = kept_apart([write(tmp_path / "y", {"a": {"b": decode(words[: n - 1])}})])
    assert without(long, shorter, decode)[1] == 0


def test_a_bad_file_to_keep_apart_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text('{"a": 1}\n{')
    with pytest.raises(ValueError, match="line 2"):
        kept_apart([tmp_path / "bad"])
    with pytest.raises(ValueError, match="cannot be read"):
        kept_apart([tmp_path / "none"])
