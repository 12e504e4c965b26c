"""After every step both caches hold what a fresh prefill of the committed text would."""

import pytest
import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.draft import EagleDraft
from eagley_core.drafting import DraftStart
from tests.core.doubles import ScriptedDraft, mixed
from tests.core.tiny import (
    TinyEngine,
    assert_near,
    begin,
    decode,
    tiny_draft,
    tiny_head,
    tiny_target,
    tokens,
)

PROMPT = [5, 9, 60, 33, 2, 17, 41]
SHAPES = [TreeShape(), TreeShape("fixed"), TreeShape("dynamic", 12, 4, 3)]


def rows(cache: KVCache) -> Tensor:
    """Every committed row, [layers, 2, heads, length, dim]."""
    (storage,) = cache.storage.values()
    return storage[..., : cache.length, :]


def committed_after_every_step(engine: TinyEngine, config: DecodeConfig):
    """Yield each decode step with the tokens that the target's cache must hold after it."""
    text = list(PROMPT)
    for step in engine.steps(PROMPT, config, decode):
        text += step.emitted
        if step.index:
            yield step, text[:-1]  # the newest token is the next root: not cached yet


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_targets_cache_is_a_fresh_prefill_of_the_committed_text(target, shape):
    text = tokens(TinyEngine(target, None), PROMPT, DecodeConfig("vanilla", 60))
    engine = TinyEngine(target, ScriptedDraft([*PROMPT, *text], target.vocab_size, mixed))
    accepted = set()
    config = DecodeConfig("eagle", 45, tree=shape)
    for step, text in committed_after_every_step(engine, config):
        if step.finish is not None:
            break
        fresh = target.new_cache(len(text) + 2)
        target.prefill(torch.tensor(text), fresh)
        assert engine._cache.length == len(text)
        assert_near(rows(engine._cache), rows(fresh))
        accepted.add(len(step.path))
    assert {0, 2} < accepted, "the draft must be wrong, partly right and right"


@pytest.mark.parametrize("method", ["vanilla", "eagley"])
def test_the_law_holds_for_vanilla_and_for_eagley_too(target, method):
    engine = TinyEngine(target, tiny_draft(target))
    for step, text in committed_after_every_step(engine, DecodeConfig(method, 30)):
        if step.finish is not None:
            break
        fresh = target.new_cache(len(text) + 2)
        target.prefill(torch.tensor(text), fresh)
        assert_near(rows(engine._cache), rows(fresh))


class WatchedDraft(EagleDraft):
    """Keeps what it was fed and the rotary positions of the levels that it ran."""

    def start(self, run: DraftStart) -> None:
        super().start(run)
        self.fed: list[Tensor] = []
        self.positions: list[tuple[int, list[int]]] = []

    def feed(self, features: Tensor, *rest: object):
        self.fed.append(features)
        return super().feed(features, *rest)

    def extend(self, rows, *rest: object):
        self.positions.append((self.length, rows.positions.tolist()))
        return super().extend(rows, *rest)


@pytest.fixture
def watched() -> TinyEngine:
    target = tiny_target()
    return TinyEngine(target, WatchedDraft(tiny_head(target), target, "watched"))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_drafts_cache_is_a_fresh_feed_of_the_true_features(watched, shape):
    target, draft = watched.target, watched.draft
    fresh = tiny_draft(target)
    for _, text in committed_after_every_step(watched, DecodeConfig("eagle", 30, tree=shape)):
        known = text[: draft.length + 1]  # the draft is fed at the start of a step
        true = target.prefill(torch.tensor(known[:-1]), target.new_cache(len(text) + 2)).features
        assert_near(torch.cat(draft.fed), true)
        fresh.start(begin(len(text) + 2, 0))
        fresh.feed(true, known[1:], 2)
        assert_near(rows(draft._cache), rows(fresh._cache))


def test_draft_levels_sit_right_behind_the_fed_rows(watched):
    """Fed rows have positions 0 to n - 1, level d of the tree n + d - 1: no gap, no overlap."""
    config = DecodeConfig("eagle", 30, tree=TreeShape("dynamic", 12, 4, 3))
    for _ in committed_after_every_step(watched, config):
        pass
    levels = watched.draft.positions
    for index, (length, positions) in enumerate(levels):
        assert positions == [length + index % 3] * 3


def test_the_root_sits_behind_the_drafts_rows_by_one(watched):
    for step, _ in committed_after_every_step(watched, DecodeConfig("eagle", 20)):
        assert watched.draft.length == step.position


def test_committing_keeps_the_chosen_rows_in_order():
    target = tiny_target()
    cache = target.new_cache(10)
    (storage,) = cache.storage.values()
    storage[:] = torch.arange(10.0)[:, None]
    cache.length = 3
    cache.commit((0, 2, 5))
    assert cache.length == 6
    assert rows(cache)[0, 0, 0, :, 0].tolist() == [0, 1, 2, 3, 5, 8]


def test_a_pass_that_does_not_fit_is_refused_with_both_numbers():
    target = tiny_target()
    with pytest.raises(ValueError, match="the cache holds 4 rows, 5 are needed"):
        target.prefill(torch.tensor([1, 2, 3, 4, 5]), target.new_cache(4))


def test_the_bytes_of_a_row_are_all_layers_keys_and_values():
    assert tiny_target().new_cache(10).bytes_per_row == 4 * 2 * 2 * 8 * 4
