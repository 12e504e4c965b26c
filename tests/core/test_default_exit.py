"""The shipped exit head on the default model."""

from pathlib import Path

import pytest

from eagley_core.config import DecodeConfig
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.exit_file import load_exit_head
from eagley_core.load import ModelChoice, load_target
from tests.core.tiny import TinyEngine

pytestmark = pytest.mark.model
FOLDER = Path(__file__).parents[2] / "assets" / "exit-head"


def test_it_drafts_and_the_output_is_vanillas(fetched):
    target, tokenizer = load_target(ModelChoice(dtype="float32"))
    engine = TinyEngine(target, EarlyExitDraft(load_exit_head(FOLDER, target), target, "exit"))
    prompt = tokenizer("The capital of France is Paris. The capital of Italy is").input_ids
    found = {}
    for method in ("vanilla", "eagley"):
        config = DecodeConfig(method, 12, reuse=("shared-kv",))
        facts = list(engine.steps(prompt, config, tokenizer.decode))
        found[method] = [token for step in facts for token in step.emitted]
    assert found["eagley"] == found["vanilla"]
    assert all(0 in step.shared for step in facts[1:])
    assert len(facts) < 12  # something was accepted
