"""Every published flavour of a head: its config, its tensors, and what they mean, plainly."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from eagley_core.target import Target
from tests.core.plain_head import Plain, llama3_speeds, speeds
from tests.core.published import (
    DRAFT_IDS,
    FLAT,
    SPECFORGE,
    H,
    Sizes,
    V,
    eagle1,
    eagle3,
    speculators,
    vocabulary,
)

OFFICIAL = {**FLAT, "draft_vocab_size": 32}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


class Case(NamedTuple):
    """A checkpoint, and the plain head and tokens that it stands for."""

    config: dict[str, Any]
    tensors: dict[str, Tensor]
    plain: Plain
    token_ids: Tensor = DRAFT_IDS
    state_ids: tuple[int, ...] = (2, 4, 5)


Make = Callable[[Target], Case]


def _official(config: dict, sizes: Sizes | None = None, **switches: Any) -> Make:
    def make(target: Target) -> Case:
        w = {**eagle3("midlayer", sizes), **vocabulary()}
        plain = Plain(w, target.embedding, w["lm_head.weight"], **switches)
        return Case(config, w, plain)

    return make


def _speculators(config: dict, sizes: Sizes | None = None, **switches: Any) -> Make:
    def make(target: Target) -> Case:
        w = {**eagle3("layers.0", sizes), **vocabulary()}
        plain = Plain(w, target.embedding, w["lm_head.weight"], layer="layers.0", **switches)
        return Case(config, w, plain)

    return make


def _eagle1(config: dict, sizes: Sizes | None = None, **switches: Any) -> Make:
    def make(target: Target) -> Case:
        w = eagle1(sizes=sizes)
        plain = Plain(
            w, target.embedding, target.head_weight, "layers.0", is_eagle1=True, **switches
        )
        return Case(config, w, plain, torch.arange(V), (len(target.layers),))

    return make


def _with(make: Make, change: Callable[[Case, Target], Case]) -> Make:
    return lambda target: change(make(target), target)


def _embedding(case: Case, target: Target) -> Case:
    """The checkpoint's own embedding wins over the target's."""
    own = target.embedding.flip(0).contiguous()
    case.plain.embedding = own
    return case._replace(tensors={**case.tensors, "embed_tokens.weight": own})


def _whole_vocabulary(case: Case, _: Target) -> Case:
    w = eagle3("midlayer", Sizes(draft_vocab=V))
    case.plain.w, case.plain.rows = w, w["lm_head.weight"]
    return case._replace(tensors=w, token_ids=torch.arange(V))


def _whole_with_zeros(case: Case, target: Target) -> Case:
    case = _whole_vocabulary(case, target)
    zeros = {"d2t": torch.zeros(V, dtype=torch.long), "t2d": torch.ones(V, dtype=torch.bool)}
    return case._replace(tensors={**case.tensors, **zeros})


def _borrowed_lm_head(case: Case, target: Target) -> Case:
    case.plain.rows = target.head_weight[DRAFT_IDS]
    return case._replace(tensors={k: v for k, v in case.tensors.items() if k != "lm_head.weight"})


def _tied(case: Case, target: Target) -> Case:
    """SGLang's reading of a head whose lm_head is its embedding."""
    case = _embedding(_borrowed_lm_head(case, target), target)
    case.plain.rows = case.plain.embedding[DRAFT_IDS]
    return case


def _narrow(target: Target) -> Case:
    """A head of another width than its target has an embedding of its own."""
    w = {**eagle3("midlayer", Sizes(width=24, head_dim=6)), **vocabulary()}
    w["embed_tokens.weight"] = torch.randn(V, 24, generator=torch.Generator().manual_seed(5))
    config = {**OFFICIAL, "hidden_size": 24, "target_hidden_size": H}
    plain = Plain(w, w["embed_tokens.weight"], w["lm_head.weight"], head_dim=6)
    return Case(config, w, plain)


def _old_speculators(target: Target) -> Case:
    """EAGLE-1 as vLLM's speculators stored it."""
    w = eagle1("transformer", "fusion_fc", Sizes())
    config = {
        "speculators_model_type": "eagle",
        "transformer_layer_config": FLAT,
        "layernorms": False,
        "fusion_bias": False,
    }
    plain = Plain(
        w, target.embedding, target.head_weight, "transformer", "fusion_fc", is_eagle1=True
    )
    return Case(config, w, plain, torch.arange(V), (len(target.layers),))


def _states(make: Make, *ids: int) -> Make:
    return _with(make, lambda case, _: case._replace(state_ids=ids))


def _eagle_config(*ids: int) -> dict[str, Any]:
    return {**SPECFORGE, "eagle_config": {"eagle_aux_hidden_state_layer_ids": list(ids)}}


QKV = tuple(f"{{layer}}.self_attn.{name}_proj" for name in "qkv")


def _qkv(layer: str, *others: str) -> Sizes:
    return Sizes(biases=(*(name.format(layer=layer) for name in QKV), *others))


SLOW = {"factor": 4.0}
FC_NORMS = {f"fc_norm.{i}": H for i in range(3)}
QWEN = {"layers.0.self_attn.q_norm": 8, "layers.0.self_attn.k_norm": 8}
BOTH_KINDS = {"rope_theta": 300.0, "rope_scaling": {"type": "linear", **SLOW}}

CASES: dict[str, Make] = {
    "eagle1": _eagle1(FLAT),
    "eagle1 without bias": _eagle1({**FLAT, "bias": False}, Sizes()),
    "eagle1 with qkv biases": _eagle1({**FLAT, "qkv_bias": True}, _qkv("layers.0", "fc")),
    "eagle1 with its embedding": _with(_eagle1(FLAT), _embedding),
    "eagle1 of as many keys": _eagle1(
        {k: v for k, v in FLAT.items() if k != "num_key_value_heads"}, Sizes(kv_heads=4), kv_heads=4
    ),
    "eagle1 of a mixture": _eagle1(
        {**FLAT, "model_type": "mixtral", "rope_theta": 300.0}, Sizes(), speeds=speeds(300.0, 8)
    ),
    "eagle1 slowed": _eagle1({**FLAT, **BOTH_KINDS}, speeds=speeds(10000.0, 8) / 4),
    "eagle1 of speculators": _old_speculators,
    "eagle3": _official(OFFICIAL),
    "eagle3 saying many layers": _official({**OFFICIAL, "num_hidden_layers": 40}),
    "eagle3 saying its length otherwise": _official(
        {**{k: v for k, v in OFFICIAL.items() if "position" not in k}, "max_sequence_length": 2048}
    ),
    "eagle3 with rope_theta": _official({**OFFICIAL, "rope_theta": 300.0}, speeds=speeds(300.0, 8)),
    "eagle3 with rope_parameters": _official(
        {**OFFICIAL, "rope_parameters": {"rope_type": "default", "rope_theta": 300.0}},
        speeds=speeds(300.0, 8),
    ),
    "eagle3 slowed": _official({**OFFICIAL, **BOTH_KINDS}, speeds=speeds(10000.0, 8) / 4),
    "eagle3 with wide heads": _official(
        {**OFFICIAL, "head_dim": 12}, Sizes(head_dim=12), head_dim=12
    ),
    "eagle3 with its embedding": _with(_official(OFFICIAL), _embedding),
    "eagle3 of the whole vocabulary": _with(
        _official({**FLAT, "draft_vocab_size": V}), _whole_vocabulary
    ),
    "eagle3 of the whole vocabulary, zeros": _with(
        _official({**FLAT, "draft_vocab_size": V}), _whole_with_zeros
    ),
    "eagle3 not saying its vocabulary": _official(FLAT),
    "eagle3 without lm_head": _with(_official(OFFICIAL), _borrowed_lm_head),
    "eagle3 of another width": _narrow,
    "specforge": _official(SPECFORGE),
    "specforge, inputs of layers": _states(_official(_eagle_config(2, 4, 6)), 2, 4, 6),
    "specforge, outputs of layers": _states(_official(_eagle_config(1, 3, 5)), 2, 4, 6),
    "specforge, inputs from the third": _states(_official(_eagle_config(3, 4, 6)), 3, 4, 6),
    "specforge of two states": _states(_official(_eagle_config(1, 4), Sizes(states=2)), 2, 5),
    "specforge with fc_norm": _official({**SPECFORGE, "fc_norm": True}, Sizes(norms=FC_NORMS)),
    "specforge with output norm": _official({**SPECFORGE, "norm_output": True}),
    "specforge without output norm": _official(
        {**SPECFORGE, "norm_output": False}, predicts_unnormed=True
    ),
    "specforge with llama3 rope": _official(
        {**SPECFORGE, "rope_theta": 300.0, "rope_scaling": LLAMA3},
        speeds=llama3_speeds(300.0, 8, LLAMA3),
    ),
    "sglang, tied": _with(_official({**SPECFORGE, "tie_word_embeddings": True}), _tied),
    "sglang with fc bias": _official({**SPECFORGE, "bias": True}, Sizes(biases=("fc",))),
    "speculators": _speculators(speculators()),
    "speculators, residual normed": _speculators(
        speculators(norm_before_residual=True), normed_residual=True
    ),
    "speculators not saying the residual": _speculators(
        {k: v for k, v in speculators().items() if k != "norm_before_residual"}
    ),
    "speculators, output normed": _speculators(speculators(norm_output=True), carries_normed=True),
    "speculators with input_norm": _speculators(
        speculators(norm_before_fc=True), Sizes(norms={"input_norm": 3 * H})
    ),
    "speculators with fc_norm": _speculators(speculators(fc_norm=True), Sizes(norms=FC_NORMS)),
    "speculators from state 1": _states(
        _speculators(speculators(eagle_aux_hidden_state_layer_ids=[1, 3, 5])), 1, 3, 5
    ),
    "speculators with its embedding": _with(_speculators(speculators()), _embedding),
    "speculators of qwen3": _speculators(speculators({"model_type": "qwen3"}), Sizes(norms=QWEN)),
    "speculators with biases": _speculators(
        speculators({"attention_bias": True}), _qkv("layers.0", "layers.0.self_attn.o_proj")
    ),
    "speculators with wide heads": _speculators(
        speculators({"head_dim": 12}), Sizes(head_dim=12), head_dim=12
    ),
    "speculators slowed": _speculators(speculators(BOTH_KINDS), speeds=speeds(300.0, 8) / 4),
    "speculators with rope_parameters": _speculators(
        speculators({"rope_parameters": {**LLAMA3, "rope_theta": 300.0}}),
        speeds=llama3_speeds(300.0, 8, LLAMA3),
    ),
}
