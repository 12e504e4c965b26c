"""A head's config.json in each layout, and what a layout has no words for."""

from typing import Any, Literal

from eagley_core.eagle1 import Eagle1Head
from eagley_core.heads.config import HeadConfig
from eagley_core.heads.layer import Head
from eagley_core.heads.layouts import SPECFORGE
from eagley_core.heads.settings import OFFICIAL_THETA, inputs_of_layers, official_states
from eagley_core.target import Target

Format = Literal["official", "speculators", "specforge"]

ATTENTION = ("has_o_bias", "has_qk_norm")
SPECULATORS_ONLY = ("has_input_norm", "norm_before_residual", "carries_normed")
UNSAYABLE = {
    "EAGLE-1": (*ATTENTION, "has_lm_head"),
    "official": (
        *("has_fc_bias", "has_qkv_bias", "has_fc_norm", "predicts_unnormed"),
        *(*ATTENTION, *SPECULATORS_ONLY),
    ),
    "specforge": ("has_fc_bias", "has_qkv_bias", *ATTENTION, *SPECULATORS_ONLY),
    "speculators": ("has_fc_bias", "predicts_unnormed"),
}


def check_sayable(head: Head, form: Format, target: Target) -> None:
    """Raise one ValueError that lists what the layout's readers could not know of the head."""
    is_eagle1, config = isinstance(head, Eagle1Head), head.config
    if is_eagle1 and form != "official":
        raise ValueError(f"an EAGLE-1 head has one layout, official; it has no {form} layout")
    found = [name for name in UNSAYABLE["EAGLE-1" if is_eagle1 else form] if getattr(config, name)]
    found += _unsayable_positions(config, form)
    if is_eagle1 and config.head_dim * config.num_heads != config.hidden_size:
        found.append(f"head_dim {config.head_dim}")
    if not is_eagle1:
        found += _unsayable_ids(head, form, target)
    if config.has_qkv_bias != config.has_o_bias and form == "speculators":
        found.append("biases of some projections only")
    if found:
        raise ValueError(f"the {form} layout has no words for this head's {', '.join(found)}")


def _unsayable_positions(config: HeadConfig, form: Format) -> list[str]:
    scaling = config.rope_scaling
    if not scaling or form == "speculators":
        return []
    if scaling.kind == "llama3":
        return ["llama3 rotary positions"] if form == "official" else []
    told = f"rope_theta {config.rope_theta} beside linear rotary positions"
    return [told] if config.rope_theta != OFFICIAL_THETA else []


def _unsayable_ids(head: Head, form: Format, target: Target) -> list[str]:
    ids, found = head.config.state_ids, []
    if form == "official" and ids != official_states(len(target.layers)):
        found.append(f"states {list(ids)}")
    if form == "specforge" and inputs_of_layers(_listed_states(ids)) != ids:
        found.append(f"states {list(ids)}")
    if head.config.draft_vocab_size == target.vocab_size and int(head.d2t.abs().max()):
        found.append("order of a whole vocabulary")
    return found


def _listed_states(ids: tuple[int, ...]) -> list[int]:
    """SGLang's list, which means outputs of layers where it starts with 1, else inputs."""
    return [i - 1 for i in ids] if ids[0] == 2 else list(ids)


def compact_settings(config: HeadConfig) -> dict[str, Any]:
    """For this program alone: SpecForge's words, states as inputs of layers, no vocabulary."""
    found = _unsayable_positions(config, "specforge")
    found += ["carries_normed"] if config.carries_normed else []
    if found:
        raise ValueError(f"the compact layout has no words for this head's {', '.join(found)}")
    told = {"max_position_embeddings": config.max_positions} if config.max_positions else {}
    told |= {"norm_output": False} if config.predicts_unnormed else {}
    return {
        "architectures": [SPECFORGE],
        **_sizes(config),
        "attention_bias": config.has_qkv_bias,
        "draft_vocab_size": config.draft_vocab_size,
        "target_hidden_size": config.target_hidden_size,
        "eagle_aux_hidden_state_layer_ids": list(config.state_ids),
        "rope_theta": config.rope_theta,
        "rope_scaling": rope_scaling(config, "specforge"),
        "fc_norm": config.has_fc_norm,
        "norm_before_residual": config.norm_before_residual,
        "tie_word_embeddings": config.predicts_embedding,
        **told,
    }


def settings(head: Head, form: Format, target: Target) -> dict[str, Any]:
    """What config.json holds."""
    config = head.config
    flat = _flat(config, form, target)
    if isinstance(head, Eagle1Head):
        return {**flat, "bias": config.has_fc_bias, "qkv_bias": config.has_qkv_bias}
    if form == "speculators":
        return _speculators(config, flat, target)
    flat["draft_vocab_size"] = config.draft_vocab_size
    if config.target_hidden_size != config.hidden_size:  # the readers ask whether it is there
        flat["target_hidden_size"] = config.target_hidden_size
    if form == "official":
        return flat
    listed = {"eagle_aux_hidden_state_layer_ids": _listed_states(config.state_ids)}
    flat |= {"eagle_config": {**listed, "use_aux_hidden_state": True}}
    if config.predicts_unnormed:  # vLLM gives the same key another meaning
        flat["norm_output"] = False
    return {**flat, "architectures": [SPECFORGE], "fc_norm": config.has_fc_norm}


def _flat(config: HeadConfig, form: Format, target: Target) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        **_sizes(config),
        "max_position_embeddings": config.max_positions or target.config.max_position_embeddings,
        "vocab_size": target.vocab_size,
        "pretraining_tp": 1,
        "tie_word_embeddings": False,
        "rope_theta": config.rope_theta,
        "rope_scaling": rope_scaling(config, form),
    }


def _sizes(config: HeadConfig) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_attention_heads": config.num_heads,
        "num_key_value_heads": config.num_kv_heads,
        "head_dim": config.head_dim,
        "num_hidden_layers": 1,
        "hidden_act": "silu",
        "rms_norm_eps": config.rms_norm_eps,
    }


def rope_scaling(config: HeadConfig, form: Format) -> dict[str, Any] | None:
    """As the layout's readers want it; None where positions are plain."""
    scaling = config.rope_scaling
    if not scaling:
        return None
    if scaling.kind == "linear":  # the official code wants these two fields and no others
        kind = "type" if form == "official" else "rope_type"
        return {kind: "linear", "factor": scaling.factor}
    return {
        "rope_type": "llama3",
        "factor": scaling.factor,
        "low_freq_factor": scaling.low_freq_factor,
        "high_freq_factor": scaling.high_freq_factor,
        "original_max_position_embeddings": scaling.original_positions,
    }


def _speculators(config: HeadConfig, flat: dict[str, Any], target: Target) -> dict[str, Any]:
    layer = {
        **flat,
        "model_type": "qwen3" if config.has_qk_norm else "llama",
        "attention_bias": config.has_qkv_bias,
        "mlp_bias": False,
    }
    is_narrow = config.target_hidden_size != config.hidden_size
    return {
        "speculators_model_type": "eagle3",
        "architectures": ["Eagle3Speculator"],
        "transformer_layer_config": layer,
        "draft_vocab_size": config.draft_vocab_size,
        "target_hidden_size": config.target_hidden_size if is_narrow else None,
        "eagle_aux_hidden_state_layer_ids": list(config.state_ids),
        "norm_before_residual": config.norm_before_residual,
        "norm_before_fc": config.has_input_norm,
        "fc_norm": config.has_fc_norm,
        "norm_output": config.carries_normed,
        "embed_requires_grad": False,
        "speculators_config": {
            "algorithm": "eagle3",
            "default_proposal_method": "greedy",
            "proposal_methods": [
                {
                    "proposal_type": "greedy",
                    "speculative_tokens": 5,
                    "verifier_accept_k": 1,
                    "accept_tolerance": 0.0,
                }
            ],
            "verifier": {
                "name_or_path": target.name,
                "architectures": list(target.config.architectures or ()),
            },
        },
    }
