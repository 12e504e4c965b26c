"""The start-up test of the numerics, and what it notices."""

import pytest
import torch

from eagley_core.config import DecodeConfig
from eagley_core.invariance import Invariance, self_test
from eagley_core.target import Pass, Target
from tests.core.tiny import FAMILIES, TinyEngine, steps, tiny_draft, tiny_model, tiny_target, tokens

LONG = [(7 * i + 3) % 64 for i in range(300)]  # more than one block of the prefill


class NoisyTarget(Target):
    """Rows come out a little different by how many are beside them."""

    off = 1e-6

    def run(self, tokens, depths, mask, cache, invariant=True) -> Pass:
        passed = super().run(tokens, depths, mask, cache, invariant)
        return passed._replace(hidden=passed.hidden * (1 + self.off * len(tokens)))


class MaskBlindTarget(Target):
    """A model that ignores the tree's mask: every row sees all rows before it."""

    def run(self, tokens, depths, mask, cache, invariant=True) -> Pass:
        return super().run(tokens, depths, torch.ones_like(mask).tril(), cache, invariant)


def model():
    return tiny_model(FAMILIES["llama"])


def test_a_model_that_keeps_its_bits_passes_and_says_of_which_passes():
    found = self_test(tiny_target())
    assert found.holds
    assert found.largest == 0
    assert str(found).startswith("row-invariant on 6 rows tested")


def test_a_small_difference_is_told_and_the_fast_way_taken():
    found = self_test(NoisyTarget(model(), "noisy"))
    assert not found.holds
    assert 0 < found.largest < 1e-3
    assert "not row-invariant: rows differ by up to" in str(found)


def test_without_invariance_runs_are_fast_unless_asked(target):
    engine = TinyEngine(NoisyTarget(model(), "noisy"), None)
    assert not engine.is_invariant(DecodeConfig())
    assert engine.is_invariant(DecodeConfig(numerics="invariant"))
    assert TinyEngine(target, None).is_invariant(DecodeConfig())
    assert not TinyEngine(target, None).is_invariant(DecodeConfig(numerics="fast"))


def test_a_model_that_ignores_the_mask_is_refused_by_name():
    with pytest.raises(ValueError, match=r"blind .llama. does not honour a tree pass"):
        self_test(MaskBlindTarget(model(), "blind"))


def test_the_words_name_the_rows_that_a_pass_needs():
    assert "passes of at least 2 rows" in str(Invariance(True, 2, 0.0))
    assert "at least" not in str(Invariance(True, 1, 0.0))


def test_padding_leaves_a_row_as_it_is():
    target = tiny_target()
    rows = []
    for min_rows in (1, 2, 5):
        target.min_rows = min_rows
        cache = target.new_cache(16)
        target.prefill(torch.tensor([1, 2, 3]), cache)
        one = torch.ones(1, 1, dtype=torch.bool)
        passed = target.run(torch.tensor([9]), torch.tensor([0]), one, cache)
        assert len(passed.hidden) == 1
        assert cache.length == 3
        rows.append(target.logits(passed.hidden))
    torch.testing.assert_close(rows[0], rows[1])
    torch.testing.assert_close(rows[0], rows[2])


def test_steps_count_padding_in_their_rows(target):
    engine = TinyEngine(target, None)
    target.min_rows = 2
    found = steps(engine, [1, 2, 3], DecodeConfig("vanilla", 4, numerics="invariant"))
    assert [step.n_rows for step in found] == [3, 2, 2, 2]
    found = steps(engine, [1, 2, 3], DecodeConfig("vanilla", 4, numerics="fast"))
    assert [step.n_rows for step in found] == [3, 1, 1, 1]


@pytest.mark.parametrize("length", [255, 256, 257, 300])
def test_prompts_around_a_block_of_the_prefill_keep_the_law(length):
    target = tiny_target(max_position_embeddings=512)
    engine = TinyEngine(target, tiny_draft(target))
    prompt = LONG[:length]
    expected = model_generate(prompt)
    for method in ("vanilla", "eagle", "eagley"):
        assert tokens(engine, prompt, DecodeConfig(method, 12)) == expected


def model_generate(prompt: list[int]) -> list[int]:
    ids = torch.tensor([prompt])
    config = {"attention_mask": torch.ones_like(ids), "max_new_tokens": 12, "do_sample": False}
    return model().generate(ids, **config)[0, len(prompt) :].tolist()


def test_bfloat16_keeps_the_law_where_rows_are_invariant():
    target = Target(model().bfloat16(), "tiny bfloat16")
    engine = TinyEngine(target, None)
    if not engine.invariance.holds:
        pytest.skip(f"bfloat16 is {engine.invariance} here")
    head = tiny_draft(target)
    engine = TinyEngine(target, head)
    for settings in ({}, {"temperature": 0.8}):
        expected = tokens(engine, [5, 9, 60], DecodeConfig("vanilla", 40, **settings))
        for method in ("eagle", "eagley"):
            assert tokens(engine, [5, 9, 60], DecodeConfig(method, 40, **settings)) == expected
