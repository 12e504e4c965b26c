"""A perfect draft of depth D brings D + 1 tokens per target pass, a useless one brings 1."""

from dataclasses import replace

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.steps import StepFacts
from tests.core.doubles import ScriptedDraft, perfect, useless
from tests.core.tiny import TinyEngine, steps, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41]
N_TOKENS = 61  # the prefill's, and 60: whole steps for 2, 3, 4, 5 and 6 tokens per pass
FREE = Costs((1.0,) * (MAX_ROWS + 1), 1e-6, 1e-6)


def run(target, rank, config: DecodeConfig) -> list[StepFacts]:
    """The decode steps of a draft that has the truth at `rank`."""
    vanilla = replace(config, method="vanilla", tree=TreeShape(), max_new_tokens=N_TOKENS + 9)
    text = [*PROMPT, *tokens(TinyEngine(target, None), PROMPT, vanilla)]
    draft = ScriptedDraft(text, target.vocab_size, rank)
    return steps(TinyEngine(target, draft, costs=FREE), PROMPT, config)[1:]


def lengths(found: list[StepFacts]) -> set[int]:
    return {len(step.path) + 1 for step in found}


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_perfect_dynamic_tree_of_depth_d_brings_d_plus_one(target, depth, temperature):
    tree = TreeShape("dynamic", depth, depth, 2)
    config = DecodeConfig("eagle", N_TOKENS, temperature=temperature, tree=tree)
    found = run(target, perfect, config)
    assert lengths(found) == {depth + 1}
    assert len(found) == (N_TOKENS - 1) / (depth + 1)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_perfect_cost_model_tree_comes_to_use_its_whole_depth(target, depth):
    tree = TreeShape("auto", 24, depth, 2)
    found = run(target, perfect, DecodeConfig("eagle", N_TOKENS, tree=tree))
    assert len(found[-2].path) == depth
    assert max(lengths(found)) == depth + 1


def test_a_perfect_fixed_tree_brings_six(target):
    found = run(target, perfect, DecodeConfig("eagle", N_TOKENS, tree=TreeShape("fixed")))
    assert lengths(found) == {6}


def test_a_fixed_tree_finds_second_choices_where_it_has_them(target):
    """With the truth always at rank 1 the tree holds (1), (1, 1) and nothing below."""
    config = DecodeConfig("eagle", N_TOKENS, tree=TreeShape("fixed"))
    assert lengths(run(target, lambda _: 1, config)[:-1]) == {3}


@pytest.mark.parametrize("kind", ["auto", "fixed", "dynamic"])
def test_a_useless_draft_brings_one(target, kind):
    found = run(target, useless, DecodeConfig("eagle", 20, tree=TreeShape(kind)))
    assert lengths(found) == {1}
    assert len(found) == 19


def test_a_node_that_the_draft_has_too_is_credited_to_the_draft(target):
    found = run(target, perfect, DecodeConfig("eagley", N_TOKENS, reuse=("recycled",)))
    sources = {label.sources for step in found for label in step.labels}
    assert sources == {("draft",), ("recycled",), ("draft", "recycled")}


def test_emitted_sources_are_of_the_path_and_end_with_the_bonus(target):
    config = DecodeConfig("eagle", N_TOKENS, tree=TreeShape("dynamic", 2, 2, 1))
    for step in run(target, perfect, config):
        assert step.emitted_sources == ("draft", "draft", "bonus")
