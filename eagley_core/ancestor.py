"""What one changed ancestor leaves in later rows.

The seed (section 2.2, observation 3) writes the target's state as a recursion over its own states;
so a row kept from a rejected branch is wrong by as much as its changed ancestor still matters.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.clean_pass import clean_pass
from eagley_core.merging import relative
from eagley_core.target import Target


class AncestorError(NamedTuple):
    """Relative errors of the rows behind a changed token. Column 0 is the changed row itself."""

    keys: Tensor  # [layers, distance]
    values: Tensor  # [layers, distance]
    kl: Tensor  # [distance] KL(true || changed) of the next token, nats


@torch.inference_mode()
def changed_ancestor(
    target: Target, text: Sequence[int], at: int, token_id: int, invariant: bool = True
) -> AncestorError:
    """Run `text` as it is, and with `token_id` at position `at`; compare the rows from there on."""
    if not 0 <= at < len(text):
        raise ValueError(f"position {at} is not in a text of {len(text)} tokens")
    other = [*text[:at], token_id, *text[at + 1 :]]
    true, changed = (clean_pass(target, ids, invariant) for ids in (text, other))
    gaps = relative(changed.kv, true.kv, (-3, -1))[..., at:]
    log_p, log_q = (
        target.logits(run.hidden[at:]).float().log_softmax(-1) for run in (true, changed)
    )
    return AncestorError(gaps[:, 0], gaps[:, 1], (log_p.exp() * (log_p - log_q)).sum(-1))
