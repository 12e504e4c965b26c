"""Conversations as token ids: read, checked, split and packed into rows."""

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

LEAST_TOKENS = 3  # a row pairs a token with the next one and predicts the one after that
HELD_OUT_SHARE, HELD_OUT_LEAST = 0.02, 40


@dataclass(frozen=True, eq=False)
class Conversations:
    """n conversations one after another; conversation i is tokens[offsets[i]:offsets[i + 1]]."""

    tokens: Tensor  # [T] int32
    offsets: Tensor  # [n + 1] int64
    response_start: Tensor  # [n] int64: where, within the conversation, the (last) answer begins
    answers: Tensor | None = None  # [T] bool: every answer's tokens; None: all from that start on

    def __len__(self) -> int:
        return len(self.response_start)

    @property
    def lengths(self) -> Tensor:
        return self.offsets.diff()

    def is_response(self, places: Tensor, owners: Tensor, positions: Tensor) -> Tensor:
        """Whether the tokens at `places` were answered by the target; bool, of their shape.

        owners: each one's conversation; positions: its index within that.
        """
        if self.answers is not None:
            return self.answers[places]
        return positions >= self.response_start[owners]

    def digest(self) -> str:
        """Hex digest of everything that training reads."""
        parts = [self.tokens, self.offsets, self.response_start]
        parts += [] if self.answers is None else [self.answers]
        return hashlib.sha256(b"".join(p.numpy().tobytes() for p in parts)).hexdigest()


def read(path: str | Path, vocab_size: int) -> Conversations:
    """Conversations of one npz file. Raises ValueError that says what is wrong with it."""
    try:
        with np.load(path, allow_pickle=False) as file:
            raw = [file[name] for name in ("tokens", "offsets", "response_start")]
            raw += [file["answers"]] if "answers" in file else []
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"data {path} cannot be read: {error}") from error
    if any(array.ndim != 1 or array.dtype.kind not in "ui" for array in raw):
        raise ValueError(f"data {path}: every array has to be a list of whole numbers")
    kinds = (np.int32, np.int64, np.int64, np.bool_)
    arrays = [torch.from_numpy(a.astype(kind)) for a, kind in zip(raw, kinds, strict=False)]
    conversations = Conversations(*arrays)
    problem = _problem(conversations, vocab_size)
    if problem:
        raise ValueError(f"data {path}: {problem}")
    return conversations


def _problem(data: Conversations, vocab_size: int) -> str | None:
    n_tokens = len(data.tokens)
    if data.answers is not None and len(data.answers) != n_tokens:
        return f"{len(data.answers)} marks of answers do not fit {n_tokens} tokens"
    if len(data) == 0 or len(data.offsets) != len(data) + 1:
        return f"{len(data.offsets)} offsets do not fit {len(data)} conversations"
    if data.offsets[0] != 0 or data.offsets[-1] != n_tokens or bool((data.lengths < 0).any()):
        return f"offsets do not rise from 0 to the {n_tokens} tokens"
    if int(data.lengths.min()) < LEAST_TOKENS:
        return f"a conversation has fewer than {LEAST_TOKENS} tokens"
    if bool(((data.response_start < 1) | (data.response_start > data.lengths)).any()):
        return "a response starts outside its conversation"
    if int(data.tokens.min()) < 0 or int(data.tokens.max()) >= vocab_size:
        return f"token {int(data.tokens.max())} is not among the target's {vocab_size}"
    return None


def join(parts: Sequence[Conversations]) -> Conversations:
    """All conversations of several files, in their order."""
    lengths = torch.cat([part.lengths for part in parts])
    marked = any(part.answers is not None for part in parts)
    return Conversations(
        torch.cat([part.tokens for part in parts]),
        torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]),
        torch.cat([part.response_start for part in parts]),
        torch.cat([_answers(part) for part in parts]) if marked else None,
    )


def _answers(data: Conversations) -> Tensor:
    return rows(data, range(len(data))).is_response


def first(data: Conversations, n: int) -> Conversations:
    """The first n conversations."""
    offsets = data.offsets[: n + 1]
    end = int(offsets[-1])
    answers = None if data.answers is None else data.answers[:end]
    return Conversations(data.tokens[:end], offsets, data.response_start[:n], answers)


def chosen(data: Conversations, indices: Sequence[int]) -> Conversations:
    """These conversations, in this order."""
    row, lengths = rows(data, indices), data.lengths[torch.tensor(indices)]
    return Conversations(
        data.tokens[row.places],
        torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]),
        data.response_start[torch.tensor(indices)],
        None if data.answers is None else row.is_response,
    )


def split(data: Conversations, seed: int) -> tuple[list[int], list[int]]:
    """Indices of the conversations to train on, and of those held out.

    Decided by a hash of what comes before the answer, so that two answers to the same question
    are on the same side, whatever else is in the data.
    """
    n_held = max(round(HELD_OUT_SHARE * len(data)), HELD_OUT_LEAST)
    n_held = max(1, min(n_held, len(data) // 5))
    keys = [_key(data, index, seed) for index in range(len(data))]
    last = sorted(keys)[n_held - 1]
    held = [i for i, key in enumerate(keys) if key <= last]
    return [i for i, key in enumerate(keys) if key > last], held


def _key(data: Conversations, index: int, seed: int) -> bytes:
    start = int(data.offsets[index])
    question = data.tokens[start : start + int(data.response_start[index])]
    return hashlib.sha256(f"{seed} ".encode() + question.numpy().tobytes()).digest()


def packs(data: Conversations, order: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Neighbours in `order`, as many at a time as fit `limit` tokens (or one that is longer)."""
    lengths = data.lengths.tolist()
    group, n_tokens = [], 0
    for index in order:
        if group and n_tokens + lengths[index] > limit:
            yield group
            group, n_tokens = [], 0
        group.append(index)
        n_tokens += lengths[index]
    if group:
        yield group


@dataclass(frozen=True, eq=False)
class Rows:
    """Some conversations as one row of N tokens."""

    places: Tensor  # [N] index of each token among all tokens
    owners: Tensor  # [N] which of these conversations it belongs to
    positions: Tensor  # [N] its index within its conversation
    is_response: Tensor  # [N] bool

    def causal(self) -> Tensor:
        """Who may attend to whom, [N, N] bool: earlier tokens of the same conversation."""
        same = self.owners[:, None] == self.owners[None]
        return same & (self.places[:, None] >= self.places[None])


def rows(data: Conversations, group: Sequence[int]) -> Rows:
    """The conversations of `group` one after another."""
    index = torch.tensor(group)
    lengths = data.lengths[index]
    owners = torch.repeat_interleave(torch.arange(len(group)), lengths)
    firsts = lengths.cumsum(0) - lengths
    positions = torch.arange(len(owners)) - firsts[owners]
    places = data.offsets[index][owners] + positions
    is_response = data.is_response(places, index[owners], positions)
    return Rows(places, owners, positions, is_response)
