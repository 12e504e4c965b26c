"""The target: a transformers causal LM that runs tree passes over our own cache."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from eagley_core.attention import NAME, folded_mask, register
from eagley_core.cache import KVCache, RowShape
from eagley_core.packing import pack
from eagley_core.sizes import Size, size_of
from eagley_core.support import check_model

PREFILL_ROWS = 256  # rows of one prefill pass: bounds the memory of the attention scores


class Pass(NamedTuple):
    """What one target pass computed for N rows."""

    hidden: Tensor  # [N, H] after the final norm: what the lm_head reads
    features: Tensor  # [N, S, H] the captured states, for the draft


class Target:
    """A decoder-only model with rotary positions, and the passes that the engine needs.

    Raises ValueError, naming the model type or layer, for a model that a tree pass cannot honour.
    """

    def __init__(self, model: PreTrainedModel, name: str, context: int | None = None) -> None:
        self.name, self.config = name, model.config
        limit = getattr(model.config, "max_position_embeddings", 0)  # 0: refused below
        self.context = min(limit, context or limit)
        check_model(model.config, self.context)
        register()
        model.eval().requires_grad_(False).set_attn_implementation(NAME)
        self.decoder = model.get_decoder()
        self.layers: nn.ModuleList = self.decoder.layers
        self.embedding: Tensor = model.get_input_embeddings().weight
        self.head_weight: Tensor = model.get_output_embeddings().weight
        self.dtype, self.device = model.dtype, self.embedding.device
        self.eos_ids = _eos_ids(model)
        self.capture_ids: tuple[int, ...] = ()
        self.min_rows = 2  # the self-test lowers it where one row alone gets the same bits
        self._captured: dict[int, Tensor] = {}
        self._hooks: list = []
        pack(model)
        self._model = model
        self.size: Size = size_of([self.decoder, model.get_output_embeddings()])
        self._check_logits()

    @property
    def vocab_size(self) -> int:
        return self.head_weight.shape[0]

    @property
    def hidden_size(self) -> int:
        return self.head_weight.shape[1]

    @property
    def lm_head(self) -> nn.Module:
        return self._model.get_output_embeddings()

    def capture(self, state_ids: Sequence[int]) -> None:
        """Capture the inputs of these layers (hidden_states indices) in every later pass.

        The number of layers itself stands for the state after the final norm.
        """
        for hook in self._hooks:
            hook.remove()
        wrong = [i for i in state_ids if not 0 <= i <= len(self.layers)]
        if wrong:
            raise ValueError(
                f"state {wrong[0]} to capture: the target has {len(self.layers)} layers"
            )
        self.capture_ids = tuple(state_ids)
        inner = [i for i in state_ids if i < len(self.layers)]
        self._hooks = [self._hook(i) for i in inner]

    def _hook(self, index: int) -> object:
        def keep(_: nn.Module, args: tuple, kwargs: dict) -> None:
            self._captured[index] = args[0] if args else kwargs["hidden_states"]

        return self.layers[index].register_forward_pre_hook(keep, with_kwargs=True)

    def rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines that keys at `positions` [N] are turned by, [N, D] in float32."""
        like = torch.zeros(1, device=positions.device)
        cos, sin = self.decoder.rotary_emb(like, positions[None])
        return cos[0], sin[0]

    def new_cache(self, capacity: int) -> KVCache:
        """Room for `capacity` rows in every layer, each on its layer's device."""
        heads = getattr(self.config, "num_key_value_heads", None)
        heads = heads or self.config.num_attention_heads
        dim = getattr(self.config, "head_dim", None)
        dim = dim or self.config.hidden_size // self.config.num_attention_heads
        devices = [next(layer.parameters(), self.embedding).device for layer in self.layers]
        return KVCache(RowShape(heads, dim, self.dtype), devices, capacity)

    @torch.inference_mode()
    def prefill(
        self,
        tokens: Tensor,
        cache: KVCache,
        invariant: bool = True,
        between: Callable[[], object] = lambda: None,
    ) -> Pass:
        """Run tokens [N] behind the cached rows and commit them all.

        between: called between two blocks of PREFILL_ROWS; it may raise.
        """
        passes = []
        for block in tokens.split(PREFILL_ROWS):
            if passes:
                between()
            chain = torch.ones(len(block), len(block), dtype=torch.bool, device=self.device).tril()
            positions = torch.arange(len(block), device=self.device)
            passes.append(self.run(block, positions, chain, cache, invariant))
            cache.commit(range(len(block)))
        return Pass(*(torch.cat(parts) for parts in zip(*passes, strict=True)))

    @torch.inference_mode()
    def run(
        self, tokens: Tensor, depths: Tensor, mask: Tensor, cache: KVCache, invariant: bool = True
    ) -> Pass:
        """One pass over N rows behind the committed ones; commits nothing.

        tokens: [N]; depths: [N], 0 for the root, so a row's position is cache.length + depth;
        mask: [N, M] bool, row = query, column = key among the last M rows: M - N of uncommitted
        passes before this one (none of them where M = N), and these N.
        """
        n_rows = len(tokens)
        cache.write_behind(mask.shape[1] - n_rows)
        n_pad = max(0, self.min_rows - n_rows) if invariant else 0
        if n_pad:
            tokens, depths, mask = _padded(tokens, depths, mask, n_pad)
        past = mask.new_ones(len(tokens), cache.length)
        dtype = torch.float64 if invariant else self.dtype
        state = self.decoder(
            input_ids=tokens[None],
            attention_mask=folded_mask(torch.cat([past, mask], dim=1), self._groups(cache), dtype),
            position_ids=(depths + cache.length)[None],
            cache=cache,
            use_cache=True,
        ).last_hidden_state[0, :n_rows]
        return Pass(state, self._features(state))

    def _features(self, state: Tensor) -> Tensor:
        if not self.capture_ids:
            return state[:, None, :0]
        found = {i: h[0, : len(state)].to(state.device) for i, h in self._captured.items()}
        self._captured = {}
        return torch.stack([found.get(i, state) for i in self.capture_ids], dim=1)

    @torch.inference_mode()
    def logits(self, hidden: Tensor) -> Tensor:
        """lm_head of hidden [N, H]: [N, V] in the model's dtype."""
        n_pad = max(0, self.min_rows - len(hidden))
        padded = torch.cat([hidden, hidden[-1:].expand(n_pad, -1)]) if n_pad else hidden
        return self.lm_head(padded)[: len(hidden)]

    def _check_logits(self) -> None:
        """The engine applies lm_head itself: refuse a model that changes logits afterwards."""
        tokens = torch.arange(4, device=self.device) % self.vocab_size
        chain = torch.ones(4, 4, dtype=torch.bool, device=self.device).tril()
        cache = self.new_cache(8)
        mask = folded_mask(chain, self._groups(cache), torch.float64)
        with torch.inference_mode():
            whole = self._model(input_ids=tokens[None], attention_mask=mask, cache=cache).logits[0]
        ours = self.logits(
            self.run(tokens, torch.arange(4, device=self.device), chain, cache).hidden
        )
        if not torch.allclose(whole.float(), ours.float(), rtol=1e-2, atol=1e-2):
            kind = self.config.model_type
            raise ValueError(
                f"model type {kind!r} changes its logits after the lm_head: not supported"
            )

    def _groups(self, cache: KVCache) -> int:
        """Query heads per key/value head."""
        return self.config.num_attention_heads // cache.layers[0].keys.shape[0]


def _eos_ids(model: PreTrainedModel) -> tuple[int, ...]:
    """Every id that ends a text, as the model itself says."""
    known = model.generation_config.eos_token_id
    return (known,) if isinstance(known, int) else tuple(known or ())


def _padded(tokens: Tensor, depths: Tensor, mask: Tensor, n_pad: int) -> tuple:
    """Add dummy rows that see only themselves and are never committed."""
    n_rows, n_seen = mask.shape
    wide = mask.new_zeros(n_rows + n_pad, n_seen + n_pad)
    wide[:n_rows, :n_seen] = mask
    wide[n_rows:, n_seen:] = torch.eye(n_pad, dtype=torch.bool, device=mask.device)
    return (
        torch.cat([tokens, tokens[-1:].expand(n_pad)]),
        torch.cat([depths, depths[-1:].expand(n_pad)]),
        wide,
    )
