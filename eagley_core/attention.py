"""Attention of tree passes, registered with transformers under a name of our own.

`invariant` reduces in float64, so that a row's result, rounded back to the model's dtype, does not
depend on how many rows are beside it nor on where in the cache its keys lie. `fast` is torch's
scaled_dot_product_attention. The mask's dtype says which is wanted: float64, or the model's.
Query heads that share a key/value head are folded into the rows: no key is ever copied.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AttentionInterface

NAME = "eagley_tree"
HONOURED = {"dropout", "scaling", "sliding_window", "position_ids", "is_causal", "use_cache"}


def register() -> None:
    """Make the attention known to transformers under NAME. Idempotent."""
    AttentionInterface.register(NAME, tree_attention)


def tree_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor,
    **options: object,
) -> tuple[Tensor, None]:
    """Attend from N rows to the K cached rows that the mask allows.

    query: [1, heads, N, D]; key, value: [1, kv_heads, K, D];
    attention_mask: additive, [1, 1, heads / kv_heads * N, K], as `folded_mask` makes it.
    Returns [1, N, heads, D]. Raises ValueError for an option that it would have to ignore.
    """
    ignored = [k for k, v in options.items() if k not in HONOURED and v is not None]
    if ignored:
        raise ValueError(f"attention option {ignored[0]!r} cannot be honoured in a tree pass")
    _, heads, n_rows, dim = query.shape
    folded = query.reshape(1, key.shape[1], -1, dim)
    scale = options.get("scaling") or dim**-0.5
    tap = getattr(module, "tap", None)  # see clean_pass.tapped
    if tap is not None:
        tap(query[0], scale)
    attend = _fast if attention_mask.dtype == query.dtype else _invariant
    out = attend(folded, key, value, attention_mask, scale)
    return out.reshape(1, heads, n_rows, dim).transpose(1, 2), None


def folded_mask(allowed: Tensor, groups: int, dtype: torch.dtype) -> Tensor:
    """Turn allowed [N, K] (bool) into the additive mask [1, 1, groups * N, K] of `dtype`."""
    mask = torch.zeros(allowed.shape, dtype=dtype, device=allowed.device)
    return mask.masked_fill_(~allowed, -torch.inf).repeat(groups, 1)[None, None]


def _invariant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float) -> Tensor:
    sums = mask.dtype
    scores = torch.baddbmm(mask[0], query[0].to(sums), key[0].to(sums).mT, alpha=scale)
    return torch.bmm(scores.softmax(-1), value[0].to(sums)).to(query.dtype)


def _fast(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)
