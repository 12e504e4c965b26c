"""The target's first layers as the draft, and verification that goes on where they stop."""

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import pytest
import torch

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.drafting import DraftRows
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.exit_head import ExitConfig, ExitHead
from eagley_core.provenance import verified_runs
from eagley_core.shared_rows import SharedRows
from eagley_core.split_target import SplitTarget
from eagley_core.target import Target
from eagley_core.tree import Tree, make_tree
from tests.core.tiny import (
    FAMILIES,
    VOCABULARY,
    TinyEngine,
    assert_near,
    begin,
    steps,
    tiny_draft,
    tiny_model,
    tiny_target,
    tokens,
)

PROMPT = [5, 9, 60, 33, 2, 17, 41]
FREE = Costs((1.0,) * (MAX_ROWS + 1), 1e-6, 1e-6)
BOTH = ("recycled", "shared-kv")
LAYER, LAYERS = 2, 4


def exit_head(target: Target, layer: int = LAYER, vocabulary: int = VOCABULARY) -> ExitHead:
    """Without its MLP: the target's own final norm and lm_head on the state at `layer`."""
    head = ExitHead(ExitConfig(layer, target.hidden_size, 8, vocabulary, 1e-6))
    head.requires_grad_(False)
    head.down.weight.zero_()
    head.norm.weight.copy_(target.decoder.norm.weight)
    return head.eval()


def draft_of(target: Target, layer: int = LAYER, vocabulary: int = VOCABULARY) -> EarlyExitDraft:
    return EarlyExitDraft(exit_head(target, layer, vocabulary), target, "early exit")


def shallow_target() -> Target:
    """Its layers from LAYER on add nothing, so that an exit there loses nothing."""
    model = tiny_model(FAMILIES["llama"])
    with torch.no_grad():
        for layer in model.get_decoder().layers[LAYER:]:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
    return Target(model, "shallow")


def _tree(tokens: list[int], parents: list[int]) -> Tree:
    return make_tree(torch.tensor(tokens), torch.tensor(parents), len(tokens))


@contextmanager
def counted_rows(target: Target):
    """Rows that every layer runs."""
    rows: Counter[int] = Counter()

    def hook(index: int):
        def count(_, args, kwargs):
            rows[index] += (args[0] if args else kwargs["hidden_states"]).shape[1]

        return count

    hooks = [
        layer.register_forward_pre_hook(hook(i), with_kwargs=True)
        for i, layer in enumerate(target.layers)
    ]
    yield rows
    for handle in hooks:
        handle.remove()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("layer", [1, 3])
@torch.inference_mode()
def test_a_resumed_pass_gives_the_logits_and_rows_of_a_full_one(family, layer):
    """Of six nodes, drafting ran two; one of the others hangs under one of these."""
    target = tiny_target(family)
    shared = SharedRows(SplitTarget(target, layer))
    caches = [target.new_cache(32), target.new_cache(32)]
    for cache in caches:
        target.prefill(torch.tensor(PROMPT), cache)
    tree = make_tree(
        torch.tensor([3, 7, 8, 11, 12, 13, 14]), torch.tensor([0, 0, 0, 2, 1, 3, 4]), 3
    )
    shared.start(begin(cache=caches[0]))
    shared.run_root(3)
    level = DraftRows(None, torch.tensor([8, 20]), torch.tensor([8, 8]), torch.eye(2) > 0)
    shared.run_level(level)
    below = torch.tensor([[1, 0, 1]]) > 0
    shared.run_level(DraftRows(None, torch.tensor([11]), torch.tensor([9]), below))
    found = shared.resume(tree)
    assert found.shared == (0, 2, 3)
    full = target.run(tree.tokens, tree.depths, tree.mask, caches[1])
    assert_near(target.logits(found.passed.hidden), target.logits(full.hidden), 1e-4)
    for cache in caches:
        cache.commit([0, 2, 3, 5])
    stored = [next(iter(c.storage.values()))[..., : c.length, :] for c in caches]
    assert_near(stored[0], stored[1], 1e-4)


@torch.inference_mode()
def test_where_rows_are_invariant_a_resumed_pass_gives_the_same_bits(engine):
    target = engine.target
    assert engine.invariance.holds
    shared = SharedRows(SplitTarget(target, LAYER))
    cache = target.new_cache(32)
    target.prefill(torch.tensor(PROMPT), cache)
    tree = _tree([3, 7, 8], [0, 0, 1])
    full = target.run(tree.tokens, tree.depths, tree.mask, cache)
    shared.start(begin(cache=cache))
    shared.run_root(3)
    shared.run_level(DraftRows(None, tree.tokens[1:2], torch.tensor([8]), torch.ones(1, 1) > 0))
    assert torch.equal(shared.resume(tree).passed.hidden, full.hidden)


@pytest.fixture(scope="module")
def engine() -> TinyEngine:
    target = tiny_target()
    return TinyEngine(target, draft_of(target))


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize(
    ("method", "reuse", "shape"),
    [
        ("eagley", BOTH, TreeShape()),
        ("eagley", ("shared-kv",), TreeShape()),
        ("eagley", ("recycled",), TreeShape()),
        ("eagle", (), TreeShape()),
        ("eagle", (), TreeShape("fixed")),
        ("eagle", (), TreeShape("dynamic", 10, 3, 3)),
    ],
)
def test_the_output_is_vanillas(engine, temperature, method, reuse, shape):
    settings = {"max_new_tokens": 40, "temperature": temperature, "seed": 7}
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", **settings))
    config = DecodeConfig(method, **settings, reuse=reuse, tree=shape)
    assert tokens(engine, PROMPT, config) == expected


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_an_exit_that_loses_nothing_reaches_the_full_depth(depth):
    target = shallow_target()
    engine = TinyEngine(target, draft_of(target), costs=FREE)
    shape = TreeShape("dynamic", depth, depth, 1)
    found = steps(engine, PROMPT, DecodeConfig("eagle", 61, tree=shape))[1:]
    assert {len(step.path) for step in found[:-1]} == {depth}


def test_no_layer_runs_a_drafted_row_twice(engine):
    """First layers: drafting's rows, and the tree's others. The rest: the tree's rows alone."""
    target = engine.target
    config = DecodeConfig("eagley", 30, reuse=BOTH, numerics="fast")  # no padding
    with counted_rows(target) as rows:
        found = steps(engine, PROMPT, config)
    with counted_rows(target) as separate:
        again = steps(engine, PROMPT, replace(config, reuse=("recycled",)))
    assert [step.rows.tokens for step in again] == [step.rows.tokens for step in found]
    saved = sum(len(step.shared) for step in found)
    assert saved > len(found)  # more than the roots
    assert {rows[layer] for layer in range(LAYER)} == {separate[0] - saved}
    assert {rows[layer] for layer in range(LAYER, LAYERS)} == {separate[LAYER]}


def test_the_trace_says_which_cached_rows_drafting_computed(engine):
    found = steps(engine, PROMPT, DecodeConfig("eagley", 30, reuse=BOTH))
    for step in found[1:]:
        runs = verified_runs(step)
        by_position = [run.provenance for run in runs for _ in range(run.start, run.stop)]
        path = (0, *step.path)
        assert by_position == ["shared" if r in step.shared else "verified" for r in path]
        assert runs[0].start == step.position
    assert any(len(verified_runs(step)) > 1 for step in found[1:])


def test_shared_kv_without_an_early_exit_is_refused(target):
    config = DecodeConfig("eagley", 5, reuse=BOTH)
    with pytest.raises(ValueError, match="shared-kv needs an early-exit draft"):
        tokens(TinyEngine(target, tiny_draft(target)), PROMPT, config)


@pytest.mark.parametrize("layer", [0, LAYERS, 9])
def test_a_layer_that_leaves_one_part_empty_is_refused(target, layer):
    with pytest.raises(ValueError, match=f"layer {layer} to exit at: .* has {LAYERS} layers"):
        SplitTarget(target, layer)
