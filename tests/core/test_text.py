"""Pieces of text: token by token, and together the whole."""

import random

import pytest

from eagley_core.stopping import Ending, Stopping
from eagley_core.text import WINDOW, Pieces, encode, pieces

TEXT = "naïve “quotes” — 日本語 and 🙂👍🏽, then ascii again. " * 4
BYTES = TEXT.encode()


def by_bytes(ids) -> str:
    """A tokenizer whose tokens are single bytes."""
    return bytes(ids).decode(errors="replace")


def test_pieces_of_split_characters_come_with_the_token_that_completes_them():
    assert pieces(by_bytes, "é!".encode()) == ("", "é", "!")
    assert pieces(by_bytes, "🙂".encode()) == ("", "", "", "🙂")


@pytest.mark.parametrize("seed", range(5))
def test_joined_pieces_are_the_whole_text_however_it_is_split(seed):
    cuts = random.Random(seed)
    chunks, rest = [], BYTES
    while rest:
        size = cuts.randint(1, 7)
        chunks.append(rest[:size])
        rest = rest[size:]

    def decode(ids) -> str:
        return b"".join(chunks[i] for i in ids).decode(errors="replace")

    found = pieces(decode, range(len(chunks)))
    assert "".join(found) == TEXT
    assert len(found) == len(chunks)
    assert not any("\ufffd" in piece for piece in found)


def test_pieces_look_back_no_further_than_a_window():
    longest = 0

    def decode(ids) -> str:
        nonlocal longest
        longest = max(longest, len(ids))
        return by_bytes(ids)

    adding = Pieces(decode)
    assert "".join(adding.add(byte) for byte in BYTES) == TEXT
    assert longest <= 2 * WINDOW + 4


def test_an_output_that_ends_within_a_character_shows_that():
    assert "".join(pieces(by_bytes, "aé".encode()[:-1])) == "a\ufffd"


def test_the_text_ends_before_a_stop_string():
    assert pieces(by_bytes, b"one two", ("e t",)) == ("o", "n", "", "", "", "", "")
    assert pieces(by_bytes, b"abcabc", ("zz", "ca", "b")) == ("a", "", "", "", "", "")


def test_no_tokens_have_no_pieces():
    assert pieces(by_bytes, []) == ()


class ChatTokenizer:
    chat_template = "yes"

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def apply_chat_template(self, messages: list[dict], **options: object) -> list[int]:
        assert options["add_generation_prompt"]
        return [1, *messages[0]["content"].encode(), 2]


def test_a_prompt_is_a_chat_turn_unless_it_is_raw_or_there_is_no_template():
    tokenizer = ChatTokenizer()
    assert encode(tokenizer, "a") == [1, 97, 2]
    assert encode(tokenizer, "a", raw=True) == [97]
    tokenizer.chat_template = None
    assert encode(tokenizer, "a") == [97]


def stopping(**changes: object) -> Stopping:
    settings = {"eos_ids": frozenset(), "stop": (), "max_new_tokens": 99, "room": 99}
    return Stopping(**{**settings, "decode": by_bytes, **changes})


def test_nothing_ends_where_nothing_stops():
    assert stopping().cut(b"ab", b"cd") == Ending(2, None)


def test_the_first_reason_within_a_step_cuts_it():
    limits = stopping(eos_ids=frozenset(b"x"), stop=("de",), max_new_tokens=6, room=5)
    assert limits.cut(b"ab", b"cxde") == Ending(2, "eos")
    assert limits.cut(b"ab", b"cdex") == Ending(3, "stop")
    assert limits.cut(b"ab", b"cdfg") == Ending(3, "context")
    assert limits.cut(b"", b"abcdfg") == Ending(5, "context")


def test_a_stop_string_may_begin_in_an_earlier_step():
    assert stopping(stop=("abcd",)).cut(b"xab", b"cde") == Ending(2, "stop")


def test_a_stop_string_longer_than_the_tail_is_found():
    long = "0123456789" * 20
    assert stopping(stop=(long,), max_new_tokens=999, room=999).cut(
        long[:-1].encode(), b"9z"
    ) == Ending(1, "stop")


def test_earlier_turns_come_before_the_prompt():
    class Template:
        chat_template = "yes"

        def apply_chat_template(self, messages, **options):
            return [(m["role"], m["content"]) for m in messages]

    assert encode(Template(), "c", history=("a", "b")) == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]
