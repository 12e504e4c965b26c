"""What the recorder computes afterwards, against full forwards of the text."""

import pytest
import torch

from eagley_core.config import DecodeConfig
from eagley_core.sampling import gumbel, processed
from tests.core.recorded import PROMPT, as_trace, recorded
from tests.core.tiny import FAMILIES, VOCABULARY, steps, tiny_model

HOT = DecodeConfig("eagley", 60, temperature=1.2, top_k=20, repetition_penalty=1.3)


@pytest.mark.parametrize("method", ["vanilla", "eagley"])
def test_a_token_is_the_best_of_its_logits_and_of_its_positions_noise(engine, method):
    """Token and margin, from a full forward of the text and the noise keyed by (seed, position)."""
    config = DecodeConfig(method, 20, temperature=0.9, top_k=30, seed=12)
    trace, _ = recorded(engine, config)
    model, text = tiny_model(FAMILIES["llama"]), [*trace.prompt_ids, *trace.output_ids]
    for step in trace.steps:
        with torch.inference_mode():
            logits = model(torch.tensor([text[: step.position + 1]])).logits[0, -1:]
        noise = gumbel(config.seed, step.position + 1, VOCABULARY)
        best = (processed(logits, config, None)[0] + noise).topk(2)
        assert step.after_root.choice_id == best.indices[0] == text[step.position + 1]
        margin = float(best.values[0] - best.values[1])
        assert step.after_root.margin == pytest.approx(margin, abs=1e-3)


def test_raw_figures_are_a_full_forwards(engine):
    trace, _ = recorded(engine, DecodeConfig("eagley", 12))
    model = tiny_model(FAMILIES["llama"])
    text = [*trace.prompt_ids, *trace.output_ids]
    for step in trace.decode_steps:
        with torch.inference_mode():
            logits = model(torch.tensor([text[: step.position + 1]])).logits[0, -1]
        p = logits.softmax(-1)
        assert step.after_root.entropy == pytest.approx(float(-(p * p.log()).sum()), abs=1e-4)
        top2 = logits.topk(2).values
        assert step.after_root.margin == pytest.approx(float(top2[0] - top2[1]), abs=1e-3)
        for node in (n for n in step.nodes if n.parent == -1):
            assert node.raw_probability == pytest.approx(float(p[node.token_id]), abs=1e-5)
            assert node.rank == int((logits > logits[node.token_id]).sum())


def test_a_left_run_is_cancelled(engine):
    config = DecodeConfig("eagley", 30)
    facts = steps(engine, PROMPT, config)[:3]
    trace = as_trace(engine, config, facts)
    assert trace.finish_reason == "cancelled"
    assert len(trace.steps) == 3


def test_the_same_run_twice_differs_in_its_times_only(engine):
    first, second = (recorded(engine, HOT)[0] for _ in range(2))
    assert first.output_ids == second.output_ids
    assert [s.nodes for s in first.steps] == [s.nodes for s in second.steps]


def test_a_row_s_bytes_are_keys_and_values_of_every_layer(engine):
    trace, _ = recorded(engine, DecodeConfig("vanilla", 2))
    config = engine.target.config
    dim = config.hidden_size // config.num_attention_heads
    values = config.num_hidden_layers * 2 * config.num_key_value_heads * dim
    assert trace.row_bytes == values * engine.target.dtype.itemsize
