"""Tiny random models, heads and engines: float32, made from a seed, quick on one core."""

import string
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import torch
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    GemmaConfig,
    LlamaConfig,
    MistralConfig,
    PreTrainedConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen3Config,
)

from eagley_core.config import DecodeConfig
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.draft import EagleDraft
from eagley_core.drafting import DraftStart
from eagley_core.eagle3 import Eagle3Head
from eagley_core.engine import Engine
from eagley_core.heads.config import HeadConfig
from eagley_core.steps import StepFacts
from eagley_core.target import Target

VOCABULARY = 64
LETTERS = string.ascii_letters + string.digits + "+/"
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "initializer_range": 0.3,  # so that predictions are far from uniform
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
FAMILIES: dict[str, PreTrainedConfig] = {
    "llama": LlamaConfig(**SIZES, tie_word_embeddings=True),
    "llama-untied-ungrouped": LlamaConfig(**{**SIZES, "num_key_value_heads": 4}),
    "mistral": MistralConfig(**SIZES, sliding_window=None),
    "qwen2": Qwen2Config(**SIZES, tie_word_embeddings=True),
    "qwen3": Qwen3Config(**SIZES, head_dim=16),
    "gemma": GemmaConfig(**SIZES, head_dim=16),
}
# Flat up to 8 rows, then rising: a tree of some nodes is worth its pass.
COSTS = Costs(tuple(1.0 + max(0, n - 8) / 16 for n in range(MAX_ROWS + 1)), 0.05, 0.05)


def tiny_model(config: PreTrainedConfig, seed: int = 0) -> PreTrainedModel:
    """A model with random weights, biases too."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(deepcopy(config), dtype=torch.float32).eval()
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                torch.nn.init.normal_(parameter, std=0.3)
    return model


def tiny_target(family: str = "llama", seed: int = 0, **changes: object) -> Target:
    config = type(FAMILIES[family])(**{**FAMILIES[family].to_dict(), **changes})
    return Target(tiny_model(config, seed), f"tiny {family}")


def tiny_head(target: Target, seed: int = 0, **changes: object) -> Eagle3Head:
    """A head with random weights whose draft vocabulary is every second token."""
    size = target.hidden_size
    sizes = {
        "hidden_size": size,
        "intermediate_size": 40,
        "num_heads": 4,
        "num_kv_heads": 2,
        "head_dim": 8,
        "draft_vocab_size": target.vocab_size // 2,
        "target_hidden_size": size,
        "state_ids": (1, 2, len(target.layers)),
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = Eagle3Head(HeadConfig(**{**sizes, **changes}))
    head.d2t.copy_(torch.arange(len(head.d2t)))
    return head.eval().requires_grad_(False)


def tiny_draft(target: Target, seed: int = 0) -> EagleDraft:
    return EagleDraft(tiny_head(target, seed).to(target.dtype), target, "tiny head")


def begin(capacity: int = 64, temperature: float = 0, **changes: object) -> DraftStart:
    """The start of a run whose target and prompt do not matter to the draft."""
    return DraftStart(capacity, temperature, 0, True, None)._replace(**changes)


class TinyEngine(Engine):
    """An engine whose cost model has hand-made figures instead of measured ones."""

    def __init__(
        self, target: Target, draft: object, eos: Sequence[int] = (), costs: Costs = COSTS
    ) -> None:
        super().__init__(target, draft, eos, Path("unused"))
        self.made_costs = costs

    def costs(self, invariant: bool) -> Costs:
        return self.made_costs


def decode(ids: Sequence[int], **_: object) -> str:
    """One letter per token."""
    return "".join(LETTERS[i] for i in ids)


def steps(engine: Engine, prompt: Sequence[int], config: DecodeConfig) -> list[StepFacts]:
    return list(engine.steps(prompt, config, decode))


def tokens(engine: Engine, prompt: Sequence[int], config: DecodeConfig) -> list[int]:
    return [token for step in steps(engine, prompt, config) for token in step.emitted]


def assert_near(found: Tensor, wanted: Tensor, tolerance: float = 1e-5) -> None:
    """Equal but for rounding, relative to the largest figure."""
    assert found.shape == wanted.shape
    assert float((found - wanted).abs().max()) <= tolerance * float(wanted.abs().max())
