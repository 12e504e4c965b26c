"""From a layout's settings to a HeadConfig. Where tensors and settings disagree, tensors decide."""

from collections.abc import Sequence
from typing import Any

from eagley_core.heads.config import HeadConfig, RopeScaling
from eagley_core.heads.layouts import Layout
from eagley_core.target import Target

OFFICIAL_THETA = 10000.0  # when nothing is told; the target's is never the head's
SUPPORTED = ("silu", "swish", "full_attention")


def head_config(layout: Layout, target: Target) -> HeadConfig:
    """The head's sizes and switches. Raises ValueError for what is absent or not supported."""
    try:
        return _config(layout, target)
    except (TypeError, AttributeError) as error:
        raise ValueError(
            f"draft {layout.name}: its config.json is not an EAGLE head's: {error}"
        ) from error


def _config(layout: Layout, target: Target) -> HeadConfig:
    told, names = layout.settings, layout.tensors.keys()
    for kind in (told.get("hidden_act", "silu"), *(told.get("layer_types") or ())):
        if kind not in SUPPORTED:
            raise ValueError(f"draft {layout.name} uses {kind}: not supported")
    theta, scaling = _rope(layout)
    attention = "layers.0.self_attn" if layout.is_eagle1 else "midlayer.self_attn"
    return HeadConfig(
        **_sizes(layout, target),
        state_ids=(len(target.layers),) if layout.is_eagle1 else _state_ids(layout, target),
        rms_norm_eps=told.get("rms_norm_eps", 1e-6),
        rope_theta=theta,
        rope_scaling=scaling,
        has_lm_head="lm_head.weight" in names,
        predicts_embedding=_is_tied(layout),
        embedding_rows=target.vocab_size if "embed_tokens.weight" in names else 0,
        has_fc_norm="fc_norm.0.weight" in names,
        has_input_norm="input_norm.weight" in names,
        has_fc_bias="fc.bias" in names,
        has_qkv_bias=f"{attention}.q_proj.bias" in names,
        has_o_bias=f"{attention}.o_proj.bias" in names,
        has_qk_norm=f"{attention}.q_norm.weight" in names,
        norm_before_residual=bool(told.get("norm_before_residual", False)),
        **_output_norm(layout),
    )


def _sizes(layout: Layout, target: Target) -> dict[str, int]:
    told = layout.settings
    width, heads = _size(layout, "hidden_size"), _size(layout, "num_attention_heads")
    kv_heads = _size(layout, "num_key_value_heads", heads)
    if heads % kv_heads:
        raise ValueError(f"draft {layout.name} has {heads} heads for {kv_heads} of keys")
    return {
        "hidden_size": width,
        "intermediate_size": _size(layout, "intermediate_size"),
        "num_heads": heads,
        "num_kv_heads": kv_heads,
        "head_dim": _size(layout, "head_dim", width // heads),
        "draft_vocab_size": _draft_vocab(layout, target),
        "target_hidden_size": _size(layout, "target_hidden_size", width),
        "max_positions": told.get("max_position_embeddings") or told.get("max_sequence_length", 0),
    }


def _size(layout: Layout, key: str, default: int | None = None) -> int:
    value = layout.settings.get(key) or default
    if not isinstance(value, int) or value < 1:
        raise ValueError(
            f"draft {layout.name}: its config.json is not an EAGLE head's: {key} is {value}"
        )
    return value


def _draft_vocab(layout: Layout, target: Target) -> int:
    """As told; else as many as the tensors have; else all of the target's."""
    if layout.is_eagle1:
        return target.vocab_size
    stored = [n for n in ("lm_head.weight", "d2t") if n in layout.tensors]
    rows = len(layout.tensors[stored[0]]) if stored else target.vocab_size
    return _size(layout, "draft_vocab_size", rows)


def _is_tied(layout: Layout) -> bool:
    """SGLang's meaning; a stored lm_head wins, and an EAGLE-1 head has the target's."""
    is_told = bool(layout.settings.get("tie_word_embeddings"))
    return is_told and not layout.is_eagle1 and "lm_head.weight" not in layout.tensors


def _output_norm(layout: Layout) -> dict[str, bool]:
    """`norm_output` means two things: speculators feed the normed output to the next step,
    SpecForge has no norm before the lm_head where it is false.
    """
    told = layout.settings.get("norm_output")
    if layout.style == "speculators":
        return {"carries_normed": bool(told)}
    return {"predicts_unnormed": told is False}


def official_states(n_layers: int) -> tuple[int, int, int]:
    """The official choice: a low, a middle and a high state. Raises ValueError without room."""
    if n_layers < 7:
        raise ValueError(f"a target of {n_layers} layers is too shallow for EAGLE-3's states")
    return (2, n_layers // 2, n_layers - 3)


def _state_ids(layout: Layout, target: Target) -> tuple[int, ...]:
    told, n_layers = layout.settings, len(target.layers)
    eagle = told.get("eagle_config") or {}
    if eagle.get("use_aux_hidden_state") is False:
        raise ValueError(f"draft {layout.name} fuses no states of the target: not supported")
    inner = eagle.get("eagle_aux_hidden_state_layer_ids")
    ids = inner or told.get("eagle_aux_hidden_state_layer_ids") or official_states(n_layers)
    wrong = [i for i in ids if not isinstance(i, int) or not 0 <= i <= n_layers]
    if wrong:
        raise ValueError(
            f"draft {layout.name} reads state {wrong[0]}, {target.name} has {n_layers} layers"
        )
    return inputs_of_layers(inner) if inner else tuple(ids)


def inputs_of_layers(ids: Sequence[int]) -> tuple[int, ...]:
    """SGLang's list names the layers whose outputs are read if it starts with 1, else inputs."""
    return tuple(i + 1 for i in ids) if ids[0] == 1 else tuple(ids)


def _rope(layout: Layout) -> tuple[float, RopeScaling | None]:
    """From either layout: `rope_theta` beside `rope_scaling`, or both in `rope_parameters`.

    The official code and SpecForge drop rope_theta where positions are scaled linearly.
    """
    told = layout.settings
    rope = {**(told.get("rope_scaling") or {}), **(told.get("rope_parameters") or {})}
    kind = _rope_kind(told, rope)
    theta = float(rope.get("rope_theta") or told.get("rope_theta") or OFFICIAL_THETA)
    if kind == "default":
        return theta, None
    if kind not in ("linear", "llama3"):
        raise ValueError(f"draft {layout.name} uses {kind} rotary positions: not supported")
    if kind == "linear" and layout.style != "speculators":
        theta = OFFICIAL_THETA
    return theta, _scaling(layout, kind, rope)


def _rope_kind(told: dict[str, Any], rope: dict[str, Any]) -> str:
    if "mrope_section" in rope:
        return "mrope"
    if any(isinstance(value, dict) for value in rope.values()):
        return "several kinds of"
    if (rope.get("partial_rotary_factor") or told.get("partial_rotary_factor") or 1) != 1:
        return "partial"
    return rope.get("rope_type") or rope.get("type") or "default"


def _scaling(layout: Layout, kind: str, rope: dict[str, Any]) -> RopeScaling:
    try:
        if kind == "linear":
            return RopeScaling("linear", float(rope["factor"]))
        return RopeScaling(
            "llama3",
            float(rope["factor"]),
            float(rope["low_freq_factor"]),
            float(rope["high_freq_factor"]),
            int(rope["original_max_position_embeddings"]),
        )
    except KeyError as error:
        raise ValueError(f"draft {layout.name}: {kind} rotary positions lack {error}") from error
