"""`EAGLEYVerifier`: the seed's class with its constructor and its methods, working.

What differs from the seed's listing, and why:

* A chain is drafted with a cache; the listing runs the whole text again for every token, and takes
  `.item()` of a batch.
* The draft owns its cache: no model has a `get_kv_cache`. `draft_kv_cache` is the draft itself.
* The chain is verified in one target pass; the listing runs one pass per token, with the whole text
  and a cache of it at once.
* The target's cache begins with the target's own rows. The draft's rows are other numbers (other
  weights, often other sizes), so `_init_target_kv_cache` has no counterpart.
* `_update_kv_from_draft` and `_recompute_with_reuse` are empty in the listing. What they stand for,
  rows kept behind a skipped token, is what `continuous_verification` leaves in the cache.
* Where no token passes, the target's own token is returned, so that decoding never stands still.

The output is approximate: it is not the target's. `run --rule seed-literal` runs the same loop in
the engine, recorded.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from eagley_core.cache import KVCache
from eagley_core.calibration import Calibration
from eagley_core.conversation import Conversation, Memory
from eagley_core.drafting import Draft, DraftStart
from eagley_core.grow import dynamic_tree
from eagley_core.model_draft import ModelDraft
from eagley_core.seed_literal import chances, follow_literally
from eagley_core.target import Target
from eagley_core.tree import make_tree


class EAGLEYVerifier:
    """Drafts a chain of tokens, and verifies it by the seed's rule. One text at a time.

    draft_model: any draft of the engine, or a transformers model with the target's tokens.
    target_model: a `Target`, or a transformers model that it takes.
    acceptance_threshold: least probability in [0, 1] at which a token passes.
    """

    def __init__(
        self,
        draft_model: Draft | PreTrainedModel,
        target_model: Target | PreTrainedModel,
        acceptance_threshold: float = 0.8,
        max_draft_length: int = 16,
    ) -> None:
        if not 0 <= acceptance_threshold <= 1:
            raise ValueError(f"acceptance_threshold must lie in [0, 1], got {acceptance_threshold}")
        if max_draft_length < 1:
            raise ValueError(f"max_draft_length must be at least 1, got {max_draft_length}")
        self.target_model = _target(target_model)
        self.draft_model = _draft(draft_model, self.target_model)
        self.threshold, self.max_draft_length = acceptance_threshold, max_draft_length
        self.draft_kv_cache: Draft | None = None
        self.target_model.capture(self.draft_model.state_ids)
        self._chat = Conversation(Memory(None, Calibration()))

    @property
    def target_kv_cache(self) -> KVCache | None:
        """The target's rows of the text so far, but for its last token."""
        return self._chat.cache

    def generate_draft(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """The draft's likeliest chain after a text: [max_draft_length] token ids.

        input_ids: [n] or [1, n], at least two tokens; attention_mask alike, all ones: one text
        has no padding. Raises ValueError otherwise, and where the context has no room.
        """
        ids = self._text(input_ids, attention_mask, self.max_draft_length)
        features = self._prefix(ids)
        capacity = len(ids) + 2 * self.max_draft_length
        self.draft_model.start(DraftStart(capacity, 0.0, ids[0], True, self._chat.cache))
        first = self.draft_model.feed(features, ids[1:], 1)
        uncoupled = [None] * self.max_draft_length
        found = dynamic_tree(self.draft_model, first, ids[-1], len(uncoupled), uncoupled)
        self.draft_kv_cache = self.draft_model
        return found.tree.tokens[1:]

    @torch.inference_mode()
    def continuous_verification(
        self, draft_tokens: Tensor, target_input_ids: Tensor, draft_kv_cache: Draft | None = None
    ) -> tuple[list[int], list[float]]:
        """The accepted tokens, and the target's probability of each where it was tried.

        draft_tokens: [k]; target_input_ids: the text so far, [n] or [1, n]. The scores are those of
        the returned tokens; the listing's are of all draft tokens. Where none passes, the target's
        own token is returned alone.
        """
        if draft_kv_cache is not None and draft_kv_cache is not self.draft_model:
            raise ValueError("draft_kv_cache must be the draft of this verifier, or None")
        ids = self._text(target_input_ids, None, len(draft_tokens))
        features, target = self._prefix(ids), self.target_model
        tokens = torch.cat([draft_tokens.new_tensor(ids[-1:]), draft_tokens]).to(target.device)
        chain = torch.arange(-1, len(tokens) - 1, device=target.device).clamp(min=0)
        tree = make_tree(tokens, chain, len(tokens) - 1)
        passed = target.run(tree.tokens, tree.depths, tree.mask, self._chat.cache)
        logits = target.logits(passed.hidden).float()
        found = follow_literally(chances(logits, tokens).tolist(), self.threshold)
        rows = [0, *found.path]
        self._chat.cache.commit(rows)
        accepted = tokens[list(found.path)].tolist()
        self._chat.end([*ids, *accepted], [features, passed.features[rows]])
        if not accepted:
            own = logits[0].softmax(-1).max(-1)
            return [int(own.indices)], [float(own.values)]
        return accepted, [found.compared[row - 1] for row in found.path]

    def _text(self, input_ids: Tensor, mask: Tensor | None, more: int) -> list[int]:
        if input_ids.dim() > 2 or (input_ids.dim() == 2 and len(input_ids) != 1):
            raise ValueError(f"one text at a time: input_ids are {tuple(input_ids.shape)}")
        if mask is not None and not bool(mask.bool().all()):
            raise ValueError("attention_mask must be all ones: one text has no padding")
        ids = input_ids.flatten().tolist()
        if not 2 <= len(ids) <= self.target_model.context - more:
            raise ValueError(
                f"a text must have 2 to {self.target_model.context - more} tokens, got {len(ids)}"
            )
        return ids

    def _prefix(self, ids: Sequence[int]) -> Tensor:
        """Cache all but the last token; return their features [n - 1, S, H]."""
        target, reused = self.target_model, self._chat.begin(ids, invariant=True)
        capacity = len(ids) + self.max_draft_length + target.min_rows
        cache = self._chat.room(reused.n_rows, capacity, target.new_cache)
        pieces, new = list(reused.features), ids[reused.n_rows : -1]
        if new:
            tokens = torch.tensor(new, device=target.device)
            pieces.append(target.prefill(tokens, cache).features)
        self._chat.end(ids, pieces)
        return torch.cat(pieces)


def _target(model: Target | PreTrainedModel) -> Target:
    return model if isinstance(model, Target) else Target(model, model.config.model_type)


def _draft(model: Draft | PreTrainedModel, target: Target) -> Draft:
    if not isinstance(model, PreTrainedModel):
        return model
    return ModelDraft(_target(model), model.config.model_type, target.vocab_size)
