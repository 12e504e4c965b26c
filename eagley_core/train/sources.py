"""Where the conversations of a run come from: files, or the target itself."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from eagley_core.target import Target
from eagley_core.text import Tokenizer
from eagley_core.train import data
from eagley_core.train.chats import read_chats
from eagley_core.train.data import Conversations
from eagley_core.train.features import Report
from eagley_core.train.generate import Writer
from eagley_core.train.order import Order, Writing
from eagley_core.train.overlap import kept_apart, without
from eagley_core.train.rounds import WriteSettings, write_rounds
from eagley_core.train.slots import Slots

CAPACITY = 1300  # tokens of the longest conversation that is written
MOST_SLOTS = {"cpu": 64}  # more gain little where a few rows already keep the processor busy
MOST_SLOTS_ELSEWHERE = 256
ROUNDS_OF = 5  # conversations per slot: few slots are idle while the last texts end


class Source(NamedTuple):
    """The conversations of one file, how many of them are wanted, and what to say about them."""

    talks: Conversations
    wanted: int | None
    facts: dict[str, Any]


def sources(target: Target, order: Order, report: Report) -> Iterator[Source]:
    """Each file of an order, then what the target writes; without what is to be kept apart."""
    apart = kept_apart(order.exclude) if order.exclude else None
    for path, count in zip(order.files, order.counts, strict=True):
        facts: dict[str, Any] = {"file": path.name}
        if path.suffix == ".jsonl":
            talks, facts["without_answer"] = read_chats(path, _tokenizer(order))
        else:
            talks = data.read(path, target.vocab_size)
        yield _cleaned(Source(talks, count, facts), apart, order)
    if order.writing:
        rounds = written(target, _tokenizer(order), order.writing, order.work / "written", report)
        talks = data.join([data.read(path, target.vocab_size) for path in rounds])
        facts = {"written_by": target.name, "seed": order.writing.seed}
        yield _cleaned(Source(talks, order.writing.conversations, facts), apart, order)


def _cleaned(source: Source, apart: frozenset[str] | None, order: Order) -> Source:
    if apart is None:
        return source
    decode = partial(_tokenizer(order).decode, skip_special_tokens=True)
    talks, n_left_out = without(source.talks, apart, decode)
    return Source(talks, source.wanted, {**source.facts, "left_out_for_overlap": n_left_out})


def _tokenizer(order: Order) -> Tokenizer:
    if order.tokenizer is None:
        raise ValueError("text can only be read, written or compared with a tokenizer")
    return order.tokenizer


def written(
    target: Target, tokenizer: Tokenizer, writing: Writing, folder: Path, report: Report
) -> list[Path]:
    """Files of rounds that the target writes, as far as they do not exist."""
    capacity = min(CAPACITY, target.context)
    n = slots_within(target, capacity, writing.memory_gb)
    settings = WriteSettings(
        target=target.name,
        dtype=str(target.dtype),
        seed=writing.seed,
        slots=n,
        round_size=n * ROUNDS_OF,
        capacity=capacity,
        material=None if writing.material is None else str(writing.material),
    )
    ends = {*target.eos_ids, tokenizer.eos_token_id} - {None}
    writer = Writer(target, tokenizer, Slots(target, n, capacity, ends), writing.seed)
    return write_rounds(writer, settings, writing.conversations, folder, report)


def slots_within(target: Target, capacity: int, memory_gb: float) -> int:
    """So many slots that their rows, and those of one prompt being read, fit this memory."""
    per_slot = target.new_cache(1).bytes_per_row * capacity
    fit = int(memory_gb * 1e9 / per_slot) - 1
    if fit < 1:
        least = 2 * per_slot / 1e9
        raise ValueError(f"memory-gb must be at least {least:.3f} for this target, got {memory_gb}")
    return min(fit, MOST_SLOTS.get(target.device.type, MOST_SLOTS_ELSEWHERE))
