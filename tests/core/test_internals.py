"""Attention in parts, and a run held against a clean pass over its own text."""

import math

import pytest
import torch

from eagley_core.ancestor import changed_ancestor
from eagley_core.clean_pass import clean_pass
from eagley_core.config import DecodeConfig
from eagley_core.environment import environment
from eagley_core.internals import Internals
from eagley_core.merging import Part, attend, merged, relative
from eagley_core.model_draft import ModelDraft
from eagley_core.recorder import Recorder, RunInfo
from eagley_core.trace_file import load_traces, save_traces
from tests.core.tiny import TinyEngine, assert_near, decode, steps, tiny_target

PROMPT = [5, 9, 60, 33, 2, 17, 41]


def inside(engine: TinyEngine, *reuse: str, **sampling: float) -> Internals:
    config = DecodeConfig("eagley", 60, reuse=reuse, internals=True, **sampling)
    known = steps(engine, PROMPT, config)
    assert all(step.internals is None for step in known[:-1])
    return known[-1].internals


def test_two_parts_by_hand():
    """One query, three keys with scores 0, 0 and log 2: weights 1/4, 1/4 and 1/2."""
    query, keys = torch.tensor([[1.0]]), torch.tensor([[0.0], [0.0], [math.log(2)]])
    values = torch.tensor([[4.0], [8.0], [2.0]])
    first = attend(query, (keys, values), torch.tensor([[True, True, False]]))
    second = attend(query, (keys, values), torch.tensor([[False, False, True]]))
    assert_near(first.out, torch.tensor([[6.0]]))
    assert_near(first.weight, torch.tensor([math.log(2)]))
    assert_near(second.weight, torch.tensor([math.log(2)]))
    assert_near(merged(first, second).out, torch.tensor([[4.0]]))
    assert_near(merged(first, second).weight, torch.tensor([math.log(4)]))


def test_merged_parts_are_attention_over_the_union():
    generator = torch.Generator().manual_seed(0)
    query, keys, values = (torch.randn(2, n, 8, generator=generator) for n in (5, 9, 9))
    seen = torch.rand(5, 9, generator=generator) < 0.8
    one = torch.rand(5, 9, generator=generator) < 0.5
    one[0], one[1] = True, False  # a query may see nothing of a part
    whole = attend(query, (keys, values), seen)
    parts = (attend(query, (keys, values), seen & part) for part in (one, ~one))
    found = merged(*parts)
    assert_near(found.out, whole.out)
    assert_near(found.weight, whole.weight)
    scores = (query @ keys.mT).masked_fill(~seen, -torch.inf)
    assert_near(whole.out, scores.softmax(-1) @ values)


def test_a_part_that_is_not_seen_is_empty():
    nothing = attend(torch.ones(1, 2), (torch.ones(3, 2),) * 2, torch.zeros(1, 3, dtype=bool))
    assert (nothing.out == 0).all() and nothing.weight.tolist() == [-math.inf]
    other = Part(torch.tensor([[5.0, 6.0]]), torch.tensor([1.0]))
    assert_near(merged(nothing, other).out, other.out)


def test_an_error_is_relative_to_the_exact():
    found, exact = torch.tensor([[3.0, 5.0]]), torch.tensor([[3.0, 4.0]])
    assert relative(found, exact).tolist() == [pytest.approx(0.2)]


def test_a_clean_passs_queries_and_rows_give_its_attention(engine):
    """The queries that were tapped, over the rows, are what the layer's projection reads."""
    target = engine.target
    reads: list[torch.Tensor] = []
    projection = target.layers[2].self_attn.o_proj
    hook = projection.register_forward_pre_hook(lambda _, args: reads.append(args[0][0]))
    clean = clean_pass(target, PROMPT, True)
    hook.remove()
    keys, values = clean.kv[2][:, :, None]
    seen = torch.ones(7, 7, dtype=torch.bool).tril()
    out = attend(clean.queries[2].unflatten(0, (2, -1)), (keys, values), seen).out
    assert_near(out.flatten(0, 1).transpose(0, 1).flatten(1), reads[0])
    assert not hasattr(target.layers[2].self_attn, "tap")


@pytest.mark.parametrize("reuse", [("recycled",), ("draft-kv:exact",)], ids=str)
def test_an_exact_run_has_no_error(engine, reuse):
    found = inside(engine, *reuse)
    for table in (found.key_errors, found.value_errors, found.attention_errors):
        assert len(table) == 4 and {len(row) for row in table} == {59}
        assert max(map(max, table)) < 1e-5
    assert max(found.kl) < 1e-5 and not any(found.flips) and found.ages == ()


def test_the_exact_delta_is_nothing_and_the_others_grow_with_what_they_replace(engine):
    (last,) = inside(engine, "draft-kv:exact").deltas
    assert last.layer == 3
    assert last.exact < 1e-6 < 0.01 < last.new <= last.none


def test_a_draft_that_is_the_target_needs_no_delta():
    target = tiny_target()
    engine = TinyEngine(target, ModelDraft(tiny_target(), "copy", target.vocab_size))
    deltas = inside(engine, "draft-kv:exact").deltas
    assert [d.layer for d in deltas] == [0, 1, 2, 3]
    assert max(max(d.none, d.new, d.exact) for d in deltas) < 1e-5


def test_a_heads_rows_err_in_the_last_layer_alone(engine):
    found = inside(engine, "draft-kv:new")
    assert max(map(max, found.key_errors[:-1])) < 1e-5
    assert max(found.key_errors[-1]) > 0.1 < max(found.value_errors[-1])
    assert max(found.attention_errors[-1]) > 0.01 and max(found.kl) > 1e-5


def test_stale_rows_err_from_the_second_layer_on_and_by_age(engine):
    found = inside(engine, "recycled", "stale-kv:16")
    assert max(found.key_errors[0]) < 1e-5 < 0.01 < max(found.key_errors[1])
    ages = [a.age for a in found.ages]
    assert ages == sorted(set(ages)) and ages[0] >= 1
    assert max(a.error for a in found.ages) > 0.01
    assert sum(a.flips for a in found.ages) == sum(found.flips)
    total = sum(a.kl * a.count for a in found.ages)
    assert total == pytest.approx(sum(found.kl), rel=1e-3)


def test_similarities_are_cosines_by_layer_and_by_depth(engine):
    found = inside(engine, "recycled")
    assert len(found.layer_similarity) == 4 and len(found.draft_similarity) >= 2
    assert all(-1 <= x <= 1 for x in (*found.layer_similarity, *found.draft_similarity))


@pytest.mark.parametrize("method", ["vanilla", "eagle"])
def test_the_other_methods_can_be_looked_into_too(engine, method):
    config = DecodeConfig(method, 12, internals=True)
    found = steps(engine, PROMPT, config)[-1].internals
    assert max(map(max, found.key_errors)) < 1e-5
    assert bool(found.draft_similarity) == (method == "eagle")


def test_looking_inside_changes_no_token(engine):
    config = DecodeConfig("eagley", 30, temperature=0.8)
    plain = [step.emitted for step in steps(engine, PROMPT, config)]
    looked = steps(engine, PROMPT, DecodeConfig("eagley", 30, temperature=0.8, internals=True))
    assert [step.emitted for step in looked] == plain


def test_internals_are_recorded_and_an_older_trace_has_none(engine, tmp_path):
    config = DecodeConfig("eagley", 30, reuse=("recycled", "stale-kv:8"), internals=True)
    where = environment(engine, True)
    info = RunInfo("tiny", "", "", tuple(PROMPT), config, "tiny head", where)
    trace = Recorder(engine.target, decode, info).trace(steps(engine, PROMPT, config))
    save_traces(tmp_path / "inside.json.gz", [trace])
    (loaded,) = load_traces(tmp_path / "inside.json.gz")
    assert loaded.internals.first == len(PROMPT)
    assert loaded.internals.flips == trace.internals.flips
    assert len(loaded.internals.ages) == len(trace.internals.ages)


def test_a_changed_ancestor_changes_the_rows_behind_it_and_none_before(engine):
    text = [*PROMPT, 8, 30, 21, 50, 3, 44]
    found = changed_ancestor(engine.target, text, 5, 18)
    assert found.keys.shape == found.values.shape == (4, 8) and found.kl.shape == (8,)
    assert (found.keys[0, 0] > 0.1) and (found.keys[0, 1:] < 1e-6).all()
    assert (found.keys[1:, 1:] > 1e-6).all()
    same = changed_ancestor(engine.target, text, 5, text[5])
    assert same.keys.max() < 1e-6 and same.kl.abs().max() < 1e-6
    with pytest.raises(ValueError, match="position 13 is not in a text of 13 tokens"):
        changed_ancestor(engine.target, text, 13, 1)
