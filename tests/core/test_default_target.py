"""The law on the real default model, in both of its dtypes."""

import pytest
import torch

from eagley_core import default_model
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.drafting import DraftRows
from eagley_core.head_file import load_head
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import summary
from tests.core.reference_head import ReferenceHead
from tests.core.tiny import begin

pytestmark = pytest.mark.model
PROMPTS = (
    Prompt("Write a Python function that adds two numbers."),
    Prompt("The capital of France is Paris. The capital of Italy is", raw=True),
)
SETTINGS = ({}, {"temperature": 0.8, "seed": 3})


@pytest.fixture(params=["float32", "bfloat16"])
def lab(request) -> Lab:
    return request.getfixturevalue(f"lab_{request.param}")


def output(lab: Lab, prompt: Prompt, config: DecodeConfig) -> list[int]:
    return [token for step in lab.steps(prompt, config) for token in step.emitted]


@pytest.mark.parametrize("settings", SETTINGS, ids=["greedy", "sampled"])
@pytest.mark.parametrize("prompt", PROMPTS, ids=["chat", "raw"])
def test_eagle_and_eagley_emit_vanillas_tokens(lab, prompt, settings):
    expected = output(lab, prompt, DecodeConfig("vanilla", 24, **settings))
    for method in ("eagle", "eagley"):
        assert output(lab, prompt, DecodeConfig(method, 24, **settings)) == expected


def test_shaped_trees_keep_the_law_in_bfloat16(lab_bfloat16):
    expected = output(lab_bfloat16, PROMPTS[0], DecodeConfig("vanilla", 24))
    for kind in ("fixed", "dynamic"):
        config = DecodeConfig("eagle", 24, tree=TreeShape(kind))
        assert output(lab_bfloat16, PROMPTS[0], config) == expected


def test_the_engine_finds_rows_invariant_in_bfloat16(lab_bfloat16):
    if "mkldnn" not in torch.__config__.show().lower():
        pytest.skip("this build of torch has no oneDNN, whose kernels are row-invariant")
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("this processor has no bfloat16 kernels")
    assert lab_bfloat16.engine.invariance.holds


def test_the_model_answers_sensibly(lab_bfloat16):
    ids = output(lab_bfloat16, PROMPTS[1], DecodeConfig("vanilla", 4))
    assert lab_bfloat16.decode(ids).startswith(" Rome")


def test_the_draft_is_accepted_now_and_then(lab_bfloat16):
    config = DecodeConfig("eagle", 48)
    trace = lab_bfloat16.recorded(PROMPTS[0], config, list(lab_bfloat16.steps(PROMPTS[0], config)))
    assert summary(trace).mean_accepted_length > 1.3


@torch.inference_mode()
def test_the_shipped_heads_figures_are_a_plain_forwards(lab_float32):
    """The guesses after the prompt, and those after one drafted token."""
    target, draft = lab_float32.engine.target, lab_float32.engine.draft
    head = load_head(default_model.HEAD, target)
    rows = head.lm_head.weight if head.config.has_lm_head else target.head_weight[head.target_ids]
    ids = lab_float32.ids(PROMPTS[0])
    features = target.prefill(torch.tensor(ids), target.new_cache(len(ids) + 2)).features[:-1]
    draft.start(begin(len(ids) + 64, 0))
    first = draft.feed(features, ids[1:], 10**6)
    guess = first.tokens[:, 0]
    level = DraftRows(first.hidden, guess, torch.tensor([draft.length]), torch.ones(1, 1) > 0)
    reference = ReferenceHead(head, target.embedding, rows)
    wanted = reference.predictions(features, [*ids[1:], guess.item()], 1)
    for found, figures in zip((first, draft.extend(level, 10**6)), wanted, strict=True):
        by_token = torch.full((target.vocab_size,), -torch.inf)
        by_token[found.tokens[0]] = found.log_probs[0]
        own = by_token[head.target_ids].log_softmax(-1)  # without the context's tokens
        assert (own - figures).abs().max() < 2e-3


def test_fetching_again_changes_nothing(fetched):
    before = sorted((p.name, p.stat().st_mtime_ns) for p in default_model.model_folder().iterdir())
    folder = default_model.fetch()
    assert sorted((p.name, p.stat().st_mtime_ns) for p in folder.iterdir()) == before
