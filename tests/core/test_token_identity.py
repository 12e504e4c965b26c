"""The law of the engine: whatever proposes the trees, the tokens are vanilla's."""

from dataclasses import replace
from functools import cache

import pytest
import torch

from eagley_core.config import DecodeConfig, TreeShape
from tests.core.doubles import ScriptedDraft, mixed
from tests.core.tiny import FAMILIES, TinyEngine, steps, tiny_draft, tiny_model, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41, 5, 9]
SHAPES = {
    "auto": TreeShape(),
    "auto deep": TreeShape("auto", 40, 9, 6),
    "auto thin": TreeShape("auto", 3, 2, 1),
    "fixed": TreeShape("fixed"),
    "dynamic": TreeShape("dynamic"),
    "dynamic chain": TreeShape("dynamic", 4, 4, 1),
    "dynamic bush": TreeShape("dynamic", 8, 1, 8),
    "dynamic large": TreeShape("dynamic", 60, 5, 8),
}
SAMPLINGS = {
    "greedy": {},
    "greedy with penalty": {"repetition_penalty": 1.3},
    "cool": {"temperature": 0.8, "seed": 3},
    "hot": {"temperature": 1.5, "seed": 4},
    "top-k": {"temperature": 0.8, "seed": 5, "top_k": 5},
    "top-p": {"temperature": 1.5, "seed": 6, "top_p": 0.8},
    "penalty": {"temperature": 0.8, "seed": 7, "repetition_penalty": 1.3},
    "all": {"temperature": 1.2, "seed": 8, "top_k": 9, "top_p": 0.9, "repetition_penalty": 1.3},
}
N_TOKENS = 28


def vanilla(engine: TinyEngine, config: DecodeConfig) -> list[int]:
    return _known(engine, replace(config, method="vanilla", tree=TreeShape()))


@cache
def _known(engine: TinyEngine, config: DecodeConfig) -> list[int]:
    """Run once for all trees that are compared with it."""
    return tokens(engine, PROMPT, config)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_eagle_emits_vanillas_tokens_with_every_tree(engine, shape, sampling):
    config = DecodeConfig("eagle", N_TOKENS, tree=SHAPES[shape], **SAMPLINGS[sampling])
    assert tokens(engine, PROMPT, config) == vanilla(engine, config)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("shape", ["auto", "auto deep", "auto thin"])
def test_eagley_emits_vanillas_tokens(engine, shape, sampling):
    config = DecodeConfig("eagley", N_TOKENS, tree=SHAPES[shape], **SAMPLINGS[sampling])
    assert tokens(engine, PROMPT, config) == vanilla(engine, config)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["eagle", "eagley"])
def test_the_seed_decides_the_tokens_and_the_method_does_not(engine, method, seed):
    config = DecodeConfig(method, N_TOKENS, temperature=1.0, seed=seed)
    expected = vanilla(engine, config)
    assert tokens(engine, PROMPT, config) == expected
    assert vanilla(engine, replace(config, seed=seed + 1)) != expected


@pytest.mark.parametrize("sampling", ["greedy", "all"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_keeps_the_law(family, sampling):
    target = tiny_target(family)
    engine = TinyEngine(target, tiny_draft(target))
    for method in ("eagle", "eagley"):
        config = DecodeConfig(method, N_TOKENS, **SAMPLINGS[sampling])
        assert tokens(engine, PROMPT, config) == vanilla(engine, config)


@pytest.mark.parametrize("shape", ["auto", "fixed", "dynamic", "dynamic chain"])
@pytest.mark.parametrize("sampling", ["greedy", "hot"])
def test_a_draft_that_is_right_now_and_then_changes_nothing(target, shape, sampling):
    config = DecodeConfig("eagle", N_TOKENS, tree=SHAPES[shape], **SAMPLINGS[sampling])
    expected = vanilla(TinyEngine(target, None), config)
    draft = ScriptedDraft([*PROMPT, *expected], target.vocab_size, mixed)
    assert tokens(TinyEngine(target, draft), PROMPT, config) == expected


@pytest.mark.parametrize("sampling", ["greedy", "hot"])
def test_eagley_over_a_draft_that_is_right_now_and_then_changes_nothing(target, sampling):
    config = DecodeConfig("eagley", N_TOKENS, **SAMPLINGS[sampling])
    expected = vanilla(TinyEngine(target, None), config)
    draft = ScriptedDraft([*PROMPT, *expected], target.vocab_size, mixed)
    assert tokens(TinyEngine(target, draft), PROMPT, config) == expected


def test_eagley_without_reuse_is_eagle(engine):
    runs = [
        steps(engine, PROMPT, DecodeConfig("eagle", N_TOKENS)),
        steps(engine, PROMPT, DecodeConfig("eagley", N_TOKENS, reuse=())),
    ]
    eagle, eagley = ([step.rows for step in run] for run in runs)
    assert eagle == eagley


@pytest.mark.parametrize("numerics", ["invariant", "fast"])
def test_both_numerics_keep_the_law_in_float32(engine, numerics):
    for method in ("eagle", "eagley"):
        config = DecodeConfig(method, N_TOKENS, temperature=0.8, numerics=numerics)
        assert tokens(engine, PROMPT, config) == vanilla(engine, config)


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_vanilla_is_transformers_own_generate(family):
    prompt = torch.tensor([PROMPT])
    expected = tiny_model(FAMILIES[family]).generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=N_TOKENS, do_sample=False
    )
    engine = TinyEngine(tiny_target(family), None)
    assert tokens(engine, PROMPT, DecodeConfig("vanilla", N_TOKENS)) == expected[0, 9:].tolist()


def test_greedy_vanilla_with_a_penalty_is_transformers_own_generate():
    prompt = torch.tensor([PROMPT])
    expected = tiny_model(FAMILIES["llama"]).generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=N_TOKENS,
        do_sample=False,
        repetition_penalty=1.3,
    )
    config = DecodeConfig("vanilla", N_TOKENS, repetition_penalty=1.3)
    assert tokens(TinyEngine(tiny_target(), None), PROMPT, config) == expected[0, 9:].tolist()


def test_a_prompt_of_one_token_works_with_every_method(engine):
    expected = tokens(engine, [7], DecodeConfig("vanilla", 12))
    for method in ("eagle", "eagley"):
        assert tokens(engine, [7], DecodeConfig(method, 12)) == expected


def test_the_random_head_is_accepted_often_enough_for_these_tests_to_mean_something(engine):
    config = DecodeConfig("eagley", 100, temperature=0.8)
    lengths = [len(s.path) for s in steps(engine, PROMPT, config)]
    assert {0, 1, 2} <= set(lengths)
