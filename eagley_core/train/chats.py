"""Conversations as JSON lines: `messages` with role and content, or ShareGPT's `conversations`."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from eagley_core.text import Tokenizer
from eagley_core.train.data import LEAST_TOKENS, Conversations

ROLES = {"human": "user", "gpt": "assistant"}  # ShareGPT's names
Messages = Sequence[dict[str, str]]


def read_chats(path: Path, tokenizer: Tokenizer) -> tuple[Conversations, int]:
    """The conversations of a file, and how many had no answer to learn from.

    Raises ValueError that names the line.
    """
    if tokenizer.chat_template is None:
        raise ValueError(f"{path}: the target's tokenizer has no chat template")
    found, n_without = [], 0
    for messages in _chats(path):
        tokens, spans = tokens_of(messages, tokenizer)
        if spans and len(tokens) >= LEAST_TOKENS:
            found.append((tokens, spans))
        else:
            n_without += 1
    if not found:
        raise ValueError(f"{path} has no conversation with an answer")
    return together(found), n_without


def tokens_of(messages: Messages, tokenizer: Tokenizer) -> tuple[list[int], list[tuple[int, int]]]:
    """Token ids by the chat template, and where the assistant's turns lie (without the header).

    A turn that the template shows otherwise once others follow it is not among them.
    """

    def ids(turns: Messages, ask: bool) -> list[int]:
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=ask)
        return tokenizer.encode(text if ask else text.rstrip(), add_special_tokens=False)

    tokens, spans = ids(messages, False), []
    for n, message in enumerate(messages):
        if n == 0 or message["role"] != "assistant" or not message["content"]:
            continue
        before, after = ids(messages[:n], True), ids(messages[: n + 1], False)
        if tokens[: len(before)] == before and tokens[: len(after)] == after:
            spans.append((len(before), len(after)))
    return tokens, [(begin, end) for begin, end in spans if begin < end]


def together(found: Sequence[tuple[list[int], list[tuple[int, int]]]]) -> Conversations:
    """One data set of conversations given as tokens and the spans of their answers."""
    lengths = torch.tensor([len(tokens) for tokens, _ in found])
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    answers = torch.zeros(int(offsets[-1]), dtype=torch.bool)
    for (_, spans), start in zip(found, offsets.tolist(), strict=False):
        for begin, end in spans:
            answers[start + begin : start + end] = True
    return Conversations(
        torch.tensor([token for tokens, _ in found for token in tokens], dtype=torch.int32),
        offsets,
        torch.tensor([spans[-1][0] for _, spans in found]),
        answers,
    )


def _chats(path: Path) -> Iterator[Messages]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield _messages(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}, line {number} is no conversation: {error}") from error


def _messages(content: dict) -> Messages:
    if "messages" in content:
        turns = [(turn["role"], turn["content"]) for turn in content["messages"]]
    else:
        turns = [(turn["from"], turn["value"]) for turn in content["conversations"]]
    for role, text in turns:
        if not isinstance(text, str) or not isinstance(role, str):
            raise TypeError("role and content have to be text")
    return [{"role": ROLES.get(role, role), "content": text} for role, text in turns]
