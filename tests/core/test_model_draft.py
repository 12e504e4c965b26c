"""A language model as the draft: small, or the target itself."""

import pytest
import torch
from transformers import MistralConfig

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.drafting import DraftRows
from eagley_core.int8 import Int8Linear, quantise
from eagley_core.model_draft import ModelDraft
from eagley_core.target import Target
from tests.core.tiny import (
    FAMILIES,
    SIZES,
    VOCABULARY,
    TinyEngine,
    assert_near,
    begin,
    steps,
    tiny_model,
    tiny_target,
    tokens,
)

PROMPT = [5, 9, 60, 33, 2, 17, 41]
FREE = Costs((1.0,) * (MAX_ROWS + 1), 1e-6, 1e-6)
SHAPES = [TreeShape(), TreeShape("fixed"), TreeShape("dynamic", 10, 3, 3)]


def int8_copy() -> ModelDraft:
    model = tiny_model(FAMILIES["llama"])
    quantise(model)
    return ModelDraft(Target(model, "int8"), "int8", VOCABULARY)


def small_model() -> ModelDraft:
    return ModelDraft(tiny_target("mistral", seed=4, num_hidden_layers=1), "small", VOCABULARY)


def the_target_itself() -> ModelDraft:
    return ModelDraft(tiny_target(), "itself", VOCABULARY)


@pytest.mark.parametrize("make", [int8_copy, small_model])
@pytest.mark.parametrize("temperature", [0, 0.8])
def test_eagle_and_eagley_emit_vanillas_tokens(make, temperature):
    engine = TinyEngine(tiny_target(), make())
    vanilla = DecodeConfig("vanilla", 40, temperature=temperature, seed=7)
    expected = tokens(engine, PROMPT, vanilla)
    for method, shape in [("eagley", SHAPES[0]), *(("eagle", shape) for shape in SHAPES)]:
        config = DecodeConfig(method, 40, temperature=temperature, seed=7, tree=shape)
        assert tokens(engine, PROMPT, config) == expected


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_the_target_as_its_own_draft_reaches_the_full_depth(depth):
    shape = TreeShape("dynamic", depth, depth, 1)
    engine = TinyEngine(tiny_target(), the_target_itself(), costs=FREE)
    found = steps(engine, PROMPT, DecodeConfig("eagle", 61, tree=shape))[1:]
    assert {len(step.path) for step in found[:-1]} == {depth}


def test_an_int8_copy_comes_near_that():
    found = steps(TinyEngine(tiny_target(), int8_copy()), PROMPT, DecodeConfig("eagle", 61))
    own = steps(TinyEngine(tiny_target(), small_model()), PROMPT, DecodeConfig("eagle", 61))
    assert len(found) < len(own) / 1.5


@torch.inference_mode()
def test_a_level_sees_its_own_ancestors_only():
    """Two chains in one tree give each what it gets alone."""
    draft, text = small_model(), torch.tensor([5, 9, 60])
    draft.start(begin(first_id=5))
    draft.feed(torch.zeros(2, 0, 32), [9, 60], 4)
    both = torch.tensor([[1, 0, 1, 0], [0, 1, 0, 1]]) > 0
    hidden = torch.zeros(2, 0)
    first, second = torch.tensor([7, 8]), torch.tensor([11, 12])
    at = torch.tensor([3, 3])
    draft.extend(DraftRows(hidden, first, at, both[:, :2]), 4)
    found = draft.extend(DraftRows(hidden, second, at + 1, both), 4)
    plain = tiny_model(MistralConfig(**{**SIZES, "num_hidden_layers": 1}, sliding_window=None), 4)
    for row in range(2):
        chain = torch.cat([text, first[row : row + 1], second[row : row + 1]])
        best = plain(chain[None]).logits[0, -1].log_softmax(-1).topk(4)
        assert found.tokens[row].tolist() == best.indices.tolist()
        assert_near(found.log_probs[row], best.values)


def test_a_padded_vocabulary_is_cut_to_the_targets():
    wide = ModelDraft(tiny_target(vocab_size=VOCABULARY + 8), "wide", VOCABULARY)
    wide.start(begin())
    found = wide.feed(torch.zeros(1, 0, 32), [3], VOCABULARY + 8)
    assert sorted(found.tokens[0].tolist()) == list(range(VOCABULARY))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_int8_weights_are_stored_as_such_and_off_by_half_a_step_at_most(dtype):
    linear = torch.nn.Linear(48, 24, dtype=dtype).requires_grad_(False)
    quantised = Int8Linear(linear)
    assert quantised.weight.dtype == torch.int8
    back = quantised.weight.float() * quantised.scale.float()[:, None]
    step = linear.weight.float().abs().amax(1, keepdim=True) / 127
    assert bool(((back - linear.weight.float()).abs() <= step * (0.5 + 127 * 2**-8)).all())
    x = torch.randn(1, 5, 48, dtype=dtype, generator=torch.Generator().manual_seed(0))
    wanted = torch.nn.functional.linear(x.float(), back) + linear.bias.float()
    assert_near(quantised(x).float(), wanted, 1e-5 if dtype == torch.float32 else 1e-2)


def test_an_int8_copy_reads_as_many_weights_in_a_quarter_of_the_bytes():
    full, copy = tiny_target().size, int8_copy().size
    assert full.bytes == 4 * full.parameters
    assert copy.parameters == pytest.approx(full.parameters, rel=0.05)  # scales are added
    assert copy.bytes < 0.35 * full.bytes
