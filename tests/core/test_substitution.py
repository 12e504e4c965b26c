"""The draft's rows in place of the target's: where, which, and what they leave alone."""

import pytest
import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig
from eagley_core.draft import EagleDraft
from eagley_core.drafting import Children, DraftRows
from eagley_core.heads.rope import rotation
from eagley_core.model_draft import ModelDraft
from eagley_core.reuse import is_exact
from eagley_core.substitution import turned
from eagley_core.target import Target
from eagley_core.watched import WatchedDraft
from tests.core.doubles import ScriptedDraft
from tests.core.tiny import (
    TinyEngine,
    assert_near,
    decode,
    tiny_head,
    tiny_target,
    tokens,
)

PROMPT = [5, 9, 60, 33, 2, 17, 41]
SAMPLINGS = [{}, {"temperature": 0.8}, {"temperature": 1.2, "top_k": 9, "seed": 2}]


def using(delta: str, n_tokens: int = 50, **sampling: float) -> DecodeConfig:
    return DecodeConfig("eagley", n_tokens, reuse=("recycled", f"draft-kv:{delta}"), **sampling)


def rows_of(cache: KVCache, length: int) -> Tensor:
    (storage,) = cache.storage.values()
    return storage[..., :length, :]


def clean(target: Target, text: list[int]) -> Tensor:
    cache = target.new_cache(len(text) + 2)
    target.prefill(torch.tensor(text), cache)
    return rows_of(cache, len(text))


def copying() -> TinyEngine:
    """A draft that is the target itself: its rows are the target's."""
    target = tiny_target()
    return TinyEngine(target, ModelDraft(tiny_target(), "copy", target.vocab_size))


def cached_after_every_step(engine: TinyEngine, config: DecodeConfig):
    """Yield each decode step with the cache's rows, and those of a clean pass."""
    text = list(PROMPT)
    for step in engine.steps(PROMPT, config, decode):
        text += step.emitted
        if step.index and step.finish is None:
            yield step, rows_of(engine._cache, len(text) - 1), clean(engine.target, text[:-1])


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_with_the_exact_delta_the_tokens_are_vanillas(engine, sampling):
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 50, **sampling))
    assert tokens(engine, PROMPT, using("exact", **sampling)) == expected
    assert is_exact(using("exact").reuse)


def test_with_the_exact_delta_the_cache_is_that_of_a_clean_pass(engine):
    for step, found, wanted in cached_after_every_step(engine, using("exact")):
        assert_near(found, wanted)
        assert step.provenances == ()


@pytest.mark.parametrize("delta", ["none", "new"])
def test_a_heads_rows_replace_the_last_layers_of_accepted_nodes_alone(engine, delta):
    n_held = 0
    for step, found, wanted in cached_after_every_step(engine, using(delta)):
        held = [p for run in step.provenances for p in range(run.start, run.stop)]
        own = [p for p in range(found.shape[3]) if p not in held]
        assert_near(found[:-1], wanted[:-1])
        assert_near(found[-1, ..., own, :], wanted[-1, ..., own, :])
        for position in held:
            gap = found[-1, :, :, position] - wanted[-1, :, :, position]
            assert gap.abs().max() > 0.01
        assert {run.provenance for run in step.provenances} <= {"substituted"}
        n_held = len(held)
    assert n_held > 1


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("delta", ["none", "new"])
def test_rows_of_a_draft_that_is_the_target_change_nothing(delta, sampling):
    engine, n_held = copying(), 0
    for step, found, wanted in cached_after_every_step(engine, using(delta, **sampling)):
        assert_near(found, wanted)
        n_held = sum(run.stop - run.start for run in step.provenances)
    assert n_held > 2
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 50, **sampling))
    assert tokens(engine, PROMPT, using(delta, **sampling)) == expected


def test_the_deltas_are_not_the_same(engine):
    outputs = [tokens(engine, PROMPT, using(delta, 120)) for delta in ("none", "new", "exact")]
    assert outputs[0] != outputs[1] != outputs[2]


def test_eagle_and_vanilla_do_not_use_the_channel(engine):
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 30))
    config = DecodeConfig("eagle", 30, reuse=("draft-kv:none",))
    assert tokens(engine, PROMPT, config) == expected


def test_keys_are_turned_to_the_tokens_own_position(engine):
    """A head's row sits one position before its token; turned, its key is the target's own."""
    plain = torch.randn(2, 3, 8)
    positions = torch.tensor([4, 7, 19])
    kept = turned(plain, engine.draft.rotation(positions))
    cos, sin = rotation(tiny_head(engine.target).config, positions - 1)
    assert_near(kept, turned(plain, (cos[0], sin[0])))
    back = turned(kept, engine.draft.rotation(positions), back=True)
    assert_near(back, plain)
    here, there = engine.target.rotation(positions), engine.target.rotation(positions + 5)
    scores = [turned(plain, r)[0, 0] @ turned(plain, r)[0, 1] for r in (here, there)]
    assert_near(*scores)  # a rotary score depends on the distance alone


class Echo:
    """A draft that answers with what it was asked."""

    name = "echo"

    def extend(self, rows: DraftRows, k: int, coupling: None) -> Children:
        return Children(*[rows.tokens[:, None]] * len(Children._fields))


def test_the_rows_that_a_draft_ran_are_found_by_their_tokens():
    draft = WatchedDraft(Echo())
    first = torch.tensor([[1, 0], [0, 1]], dtype=torch.bool)
    second = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 1]], dtype=torch.bool)
    for tokens_, mask in (([7, 8], first), ([9, 9], second)):
        rows = DraftRows(torch.zeros(2, 1), torch.tensor(tokens_), torch.zeros(2), mask)
        draft.extend(rows, 1)
    assert draft.paths() == {(7,): 0, (8,): 1, (8, 9): 2, (7, 9): 3}


def odd_heads(target: Target) -> EagleDraft:
    return EagleDraft(tiny_head(target, num_kv_heads=4), target, "odd head")


def test_a_draft_whose_rows_have_another_shape_is_refused_by_name():
    target = tiny_target()
    with pytest.raises(ValueError, match="rows of odd head have 1 layers of 4 heads of 8, those"):
        tokens(TinyEngine(target, odd_heads(target)), PROMPT, using("new"))
    small = ModelDraft(tiny_target(num_hidden_layers=3), "small", target.vocab_size)
    with pytest.raises(ValueError, match="rows of small have 3 layers of 2 heads of 8, those of"):
        tokens(TinyEngine(target, small), PROMPT, using("exact"))


def test_a_draft_without_rows_and_no_draft_are_refused():
    target = tiny_target()
    scripted = ScriptedDraft(PROMPT, target.vocab_size)
    with pytest.raises(ValueError, match="draft-kv needs a draft with key/value rows: script has"):
        tokens(TinyEngine(target, scripted), PROMPT, using("new"))
    with pytest.raises(ValueError, match="draft-kv needs a draft, and none is loaded"):
        tokens(TinyEngine(target, None), PROMPT, using("new"))


def test_stale_rows_and_the_drafts_rows_are_not_combined():
    with pytest.raises(ValueError, match="stale-kv and draft-kv cannot be combined"):
        DecodeConfig(reuse=("stale-kv:4", "draft-kv:new"))
