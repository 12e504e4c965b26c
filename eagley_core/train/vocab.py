"""The draft vocabulary: the tokens that the head can propose."""

from collections.abc import Sequence

import torch
from torch import Tensor

from eagley_core.train.data import Conversations, rows

OUTSIDE = -1


def most_frequent(data: Conversations, group: Sequence[int], size: int, vocab_size: int) -> Tensor:
    """Ids of the `size` most frequent response tokens of these conversations, ascending.

    Ties, and tokens that never occur, are taken in the order of their ids.
    """
    row = rows(data, group)
    seen = data.tokens[row.places[row.is_response]].long()
    counts = torch.bincount(seen, minlength=vocab_size)
    return counts.sort(descending=True, stable=True).indices[:size].sort().values


def draft_index(target_ids: Tensor, vocab_size: int) -> Tensor:
    """The draft token of each target token, [V]; OUTSIDE where there is none."""
    index = torch.full((vocab_size,), OUTSIDE)
    index[target_ids] = torch.arange(len(target_ids))
    return index
