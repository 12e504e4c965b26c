"""Which models a tree pass can honour. What it cannot is refused by name."""

from transformers import PretrainedConfig

# Their inverse frequencies depend on the length of the sequence, so cached keys would go stale.
LENGTH_DEPENDENT_ROPE = {"dynamic", "longrope"}


def check_model(config: PretrainedConfig, context: int) -> None:
    """Raise ValueError for a model whose layers or positions a tree pass cannot honour."""
    kind = config.model_type
    if config.is_encoder_decoder:
        raise ValueError(f"model type {kind!r} is an encoder-decoder, not a decoder-only model")
    rope = getattr(config, "rope_parameters", None)
    if not rope:
        raise ValueError(f"model type {kind!r} has no rotary positions")
    types = {r.get("rope_type") for r in _rope_entries(rope)} & LENGTH_DEPENDENT_ROPE
    if types:
        raise ValueError(f"model type {kind!r} uses {types.pop()} rotary positions: not supported")
    for name in ("attn_logit_softcapping", "final_logit_softcapping"):
        if getattr(config, name, None):
            raise ValueError(f"model type {kind!r} uses {name}: not supported")
    for index, layer in enumerate(_layer_types(config)):
        _check_layer(config, index, layer, context)


def _rope_entries(rope: dict) -> list[dict]:
    nested = [entry for entry in rope.values() if isinstance(entry, dict)]
    return nested or [rope]


def _layer_types(config: PretrainedConfig) -> list[str]:
    """Each layer's kind of attention; a bare sliding_window stands for all layers."""
    types = getattr(config, "layer_types", None)
    if types:
        return list(types)
    slides = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    kind = "sliding_attention" if slides else "full_attention"
    return [kind] * config.num_hidden_layers


def _check_layer(config: PretrainedConfig, index: int, kind: str, context: int) -> None:
    if kind == "full_attention":
        return
    window = getattr(config, "sliding_window", None)
    if kind == "sliding_attention" and window and window >= context:
        return
    raise ValueError(
        f"layer {index} of this {config.model_type} model is {kind} "
        f"(window {window}), shorter than the context of {context}: a tree pass cannot honour it"
    )
