"""What a tree pass cannot honour is refused, by name."""

import pytest
import torch
from transformers import (
    BloomConfig,
    CohereConfig,
    Gemma2Config,
    GPT2Config,
    GraniteConfig,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    OPTConfig,
    Qwen2Config,
    T5Config,
    T5ForConditionalGeneration,
)

from eagley_core.target import Target
from tests.core.tiny import SIZES, tiny_model

SMALL = {k: SIZES[k] for k in ("vocab_size", "hidden_size", "num_hidden_layers")}
WINDOW = {"sliding_window": 16, "max_position_embeddings": 128}
DYNAMIC = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
REFUSED = {
    "mistral window": (MistralConfig(**{**SIZES, **WINDOW}), "layer 0 of this mistral model is sl"),
    "qwen2 window": (
        Qwen2Config(**{**SIZES, **WINDOW}, use_sliding_window=True, max_window_layers=2),
        "layer 2 of this qwen2 model is sliding_attention .window 16.",
    ),
    "gpt2": (GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=64), "'gpt2' has no rotary"),
    "opt": (
        OPTConfig(**SMALL, ffn_dim=48, num_attention_heads=4, word_embed_proj_dim=32),
        "'opt' has no rotary",
    ),
    "bloom": (BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=64), "'bloom' has no ro"),
    "mamba": (MambaConfig(**SMALL, state_size=4), "'mamba' has no rotary"),
    "dynamic rope": (LlamaConfig(**SIZES, rope_parameters=DYNAMIC), "'llama' uses dynamic rotary"),
    "softcapping": (Gemma2Config(**SIZES, head_dim=8), "'gemma2' uses .*softcapping"),
    "granite": (GraniteConfig(**SIZES, logits_scaling=8.0), "'granite' changes its logits"),
    "cohere": (CohereConfig(**SIZES, logit_scale=0.06), "'cohere' changes its logits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_name(name):
    config, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        Target(tiny_model(config), name)


def test_an_encoder_decoder_is_refused_with_its_name():
    config = T5Config(vocab_size=64, d_model=32, d_ff=48, num_layers=1, num_heads=4, d_kv=8)
    with pytest.raises(ValueError, match="'t5' is an encoder-decoder"):
        Target(T5ForConditionalGeneration(config), "t5")


def test_a_window_as_long_as_the_context_is_taken():
    config = MistralConfig(**{**SIZES, **WINDOW})
    target = Target(tiny_model(config), "mistral", context=16)
    assert target.context == 16


def test_a_context_one_longer_than_the_window_is_refused():
    config = MistralConfig(**{**SIZES, **WINDOW})
    with pytest.raises(ValueError, match="shorter than the context of 17"):
        Target(tiny_model(config), "mistral", context=17)


def test_a_context_beyond_the_models_own_is_cut_to_it():
    assert Target(tiny_model(LlamaConfig(**SIZES)), "llama", context=10**6).context == 128


def test_the_models_eos_ids_are_read_in_every_form():
    for known, wanted in [(None, ()), (3, (3,)), ([3, 5], (3, 5))]:
        model = tiny_model(LlamaConfig(**SIZES))
        model.generation_config.eos_token_id = known
        assert Target(model, "llama").eos_ids == wanted


def test_an_attention_option_that_would_be_ignored_is_refused():
    from eagley_core.attention import folded_mask, tree_attention

    rows = torch.zeros(1, 2, 3, 4)
    mask = folded_mask(torch.ones(3, 3, dtype=torch.bool), 1, torch.float32)
    with pytest.raises(ValueError, match="'softcap' cannot be honoured"):
        tree_attention(None, rows, rows, rows, mask, softcap=30.0)
