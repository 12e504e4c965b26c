"""Between text and token ids."""

from collections.abc import Sequence
from typing import Protocol

from eagley_core.stopping import Decode

WINDOW = 32  # tokens decoded together to find one token's piece
_INCOMPLETE = "\ufffd"


class Tokenizer(Protocol):
    """The part of a transformers tokenizer that is used here."""

    chat_template: str | None
    eos_token_id: int | None

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str: ...

    def apply_chat_template(self, messages: list[dict], **options: object) -> list[int]: ...


def encode(
    tokenizer: Tokenizer, prompt: str, raw: bool = False, history: Sequence[str] = ()
) -> list[int]:
    """The prompt's ids, as a user turn of the chat template unless `raw` or there is none.

    history: what was said before, by the user and the assistant in turn; without a template all
    texts are joined. Raises ValueError for text that is not valid Unicode.
    """
    said = [*history, prompt]
    if any("\ud800" <= c <= "\udfff" for text in said if not text.isascii() for c in text):
        raise ValueError("the prompt holds characters that are not valid Unicode")
    if raw or tokenizer.chat_template is None:
        return tokenizer.encode("".join(said))
    turns = [
        {"role": "assistant" if number % 2 else "user", "content": text}
        for number, text in enumerate(said)
    ]
    return list(tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False))


class Pieces:
    """Token by token, the text that each one adds; joined, the pieces are the whole text.

    A token that ends within a character has an empty piece; the next one brings the character.
    """

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._ids: list[int] = []
        self._known = ""

    def add(self, token_id: int) -> str:
        self._ids.append(token_id)
        text = self._decode(self._ids)
        if text.endswith(_INCOMPLETE):
            return ""
        piece = text[len(self._known) :]
        self._known = text
        if len(self._ids) > 2 * WINDOW:
            self._ids = self._ids[-WINDOW:]
            self._known = self._decode(self._ids)
        return piece


def pieces(decode: Decode, ids: Sequence[int], stop: Sequence[str] = ()) -> tuple[str, ...]:
    """The pieces of a whole output; its text ends before a stop string."""
    adding = Pieces(decode)
    found = [adding.add(token_id) for token_id in ids]
    missing = decode(ids)[len("".join(found)) :]
    if found:
        found[-1] += missing
    ends = [at for at in ("".join(found).find(s) for s in stop) if at >= 0]
    return tuple(_shortened(found, min(ends))) if ends else tuple(found)


def _shortened(found: list[str], length: int) -> list[str]:
    kept = []
    for piece in found:
        kept.append(piece[:length])
        length -= len(kept[-1])
    return kept
