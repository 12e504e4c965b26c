"""Batches of conversations of similar length, in an order that only the seed decides."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.train.data import Conversations
from eagley_core.train.features import FeatureFiles

BUCKET = 96  # conversations that are sorted by length together: little padding, good mixing


class Batch(NamedTuple):
    """B conversations padded at their ends to L tokens."""

    tokens: Tensor  # [B, L] int64
    states: Tensor  # [B, L, S, H]
    label_ids: Tensor  # [B, L, LABELS] int64: what the target says comes after each token
    label_logp: Tensor  # [B, L, LABELS] float32
    is_response: Tensor  # [B, L] bool, false in the padding; on the host, as it decides shapes
    n_tokens: int  # without the padding
    words: Tensor  # [E] int64, on the host: every token that occurs, once


def endless(data: Conversations, order: Sequence[int], limit: int, seed: int) -> Iterator[list]:
    """Groups of at most `limit` padded tokens, epoch after epoch."""
    epoch = 0
    while True:
        shuffle = random.Random(f"{seed} {epoch}").shuffle
        mixed = list(order)
        shuffle(mixed)
        groups = by_length(data, mixed, limit)
        shuffle(groups)
        yield from groups
        epoch += 1


def by_length(data: Conversations, order: Sequence[int], limit: int) -> list[list[int]]:
    """Groups of at most `limit` padded tokens out of each bucket of neighbours in `order`.

    A conversation that is longer is a group by itself, and is cut when it is read.
    """
    lengths = data.lengths.tolist()
    groups: list[list[int]] = []
    for start in range(0, len(order), BUCKET):
        group: list[int] = []
        for index in sorted(order[start : start + BUCKET], key=lengths.__getitem__):
            if group and (len(group) + 1) * lengths[index] > limit:
                groups.append(group)
                group = []
            group.append(index)
        groups.append(group)
    return groups


def collate(
    data: Conversations,
    features: FeatureFiles,
    group: Sequence[int],
    limit: int,
    device: torch.device,
) -> Batch:
    """The first `limit` tokens of each conversation of `group`, with their features.

    Padding repeats the last token.
    """
    index = torch.tensor(group)
    lengths = data.lengths[index][:, None].clamp_max(limit)
    columns = torch.arange(int(lengths.max()))[None]
    places = data.offsets[index][:, None] + columns.minimum(lengths - 1)
    is_response = data.is_response(places, index[:, None], columns) & (columns < lengths)
    found = features.at(places)
    tokens = data.tokens[places].long()
    return Batch(
        tokens.to(device),
        found.states.to(device),
        found.label_ids.long().to(device),
        found.label_logp.float().to(device),
        is_response,
        int(lengths.sum()),
        tokens.unique(),
    )


def tempered(batch: Batch, temperature: float) -> Batch:
    """The batch with the target's words as they would be drawn at this temperature."""
    return batch._replace(label_logp=(batch.label_logp / temperature).log_softmax(-1))
