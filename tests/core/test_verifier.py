"""The seed's loop by hand, and its class at work."""

import pytest
import torch

from eagley_core.config import DecodeConfig
from eagley_core.seed_literal import chances, choices_at, follow_literally
from eagley_core.verifier import EAGLEYVerifier
from tests.core.doubles import ScriptedDraft
from tests.core.tiny import FAMILIES, TinyEngine, tiny_draft, tiny_model, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41, 5, 9]

# What each row gives to the tokens of rows 0 to 4: row 1 fails after the root, row 2 passes there,
# row 3 fails after row 2, and row 4 passes after row 2.
CHANCES = [
    [0.0, 0.1, 0.9, 0.2, 0.1],
    [0.0, 0.9, 0.9, 0.9, 0.9],
    [0.0, 0.2, 0.1, 0.3, 0.8],
    [0.0, 0.9, 0.9, 0.9, 0.9],
    [0.0, 0.9, 0.9, 0.9, 0.9],
]


def test_a_rejected_token_is_skipped_and_the_next_tried_at_the_same_place():
    found = follow_literally(CHANCES, 0.8)
    assert found.path == (2, 4)
    assert found.parents == (0, 0, 0, 2, 2)
    assert found.compared == (0.1, 0.9, 0.3, 0.8)
    assert found.stale == 2


def test_with_a_threshold_of_nothing_the_whole_chain_passes():
    found = follow_literally(CHANCES, 0.0)
    assert (found.path, found.parents, found.stale) == ((1, 2, 3, 4), (0, 0, 1, 2, 3), 0)


def test_above_every_chance_nothing_passes():
    found = follow_literally(CHANCES, 0.95)
    assert (found.path, found.parents, found.stale) == ((), (0, 0, 0, 0, 0), 0)


def test_chances_are_the_targets_probabilities_of_the_chains_tokens():
    scores = torch.randn(4, 7, generator=torch.Generator().manual_seed(0))
    ids = torch.tensor([3, 0, 6, 3])
    found = chances(scores, ids)
    for row in range(4):
        for other in range(4):
            assert found[row, other] == pytest.approx(float(scores[row].softmax(-1)[ids[other]]))


def test_the_targets_own_token_takes_the_noise_of_its_place():
    scores, noise = torch.zeros(2, 5), torch.zeros(2, 5)
    noise[0, 3] = noise[1, 1] = 1.0
    assert choices_at(scores, noise).tolist() == [[3, 1], [3, 1]]
    assert choices_at(scores + torch.tensor([0, 0, 2.0, 0, 0]), None).tolist() == [[2, 2], [2, 2]]


@pytest.fixture
def verifier(target) -> EAGLEYVerifier:
    return EAGLEYVerifier(tiny_draft(target), target, 0.5, 6)


def test_a_draft_is_the_heads_likeliest_chain(verifier):
    found = verifier.generate_draft(torch.tensor([PROMPT]))
    assert found.shape == (6,)
    again = verifier.generate_draft(torch.tensor(PROMPT), torch.ones(1, len(PROMPT)))
    assert found.tolist() == again.tolist()


def greedy(target, n: int = 30) -> list[int]:
    return tokens(TinyEngine(target, None), PROMPT, DecodeConfig("vanilla", n))


def test_true_tokens_pass_with_their_probabilities(target):
    text = greedy(target)
    verifier = EAGLEYVerifier(tiny_draft(target), target, 0.0, 6)
    accepted, scores = verifier.continuous_verification(
        torch.tensor(text[:4]), torch.tensor(PROMPT)
    )
    assert accepted == text[:4]
    cache = target.new_cache(64)
    whole = torch.tensor([*PROMPT, *text])
    logits = target.logits(target.prefill(whole, cache).hidden)
    for place, (token, score) in enumerate(zip(accepted, scores, strict=True)):
        row = logits[len(PROMPT) - 1 + place].softmax(-1)
        assert score == pytest.approx(float(row[token]), abs=1e-5)


def test_where_nothing_passes_the_targets_own_token_comes(target):
    verifier = EAGLEYVerifier(tiny_draft(target), target, 1.0, 6)
    text = greedy(target)
    wrong = torch.tensor([(text[0] + 1) % 60, (text[0] + 2) % 60])
    accepted, scores = verifier.continuous_verification(wrong, torch.tensor([PROMPT]))
    assert accepted == text[:1]
    assert 0 < scores[0] < 1


def test_a_token_after_a_skipped_one_is_tried_where_that_one_failed(target):
    text = greedy(target)
    first = target.logits(target.prefill(torch.tensor(PROMPT), target.new_cache(64)).hidden)[-1]
    best, worst = float(first.softmax(-1).max()), int(first.argmin())
    verifier = EAGLEYVerifier(tiny_draft(target), target, best * 0.99, 6)
    accepted, scores = verifier.continuous_verification(
        torch.tensor([worst, text[0]]), torch.tensor(PROMPT)
    )
    assert accepted == text[:1]
    assert scores == pytest.approx([best], abs=1e-5)
    assert verifier.target_kv_cache.length == len(PROMPT) + 1


def test_a_loop_of_both_is_greedy_decoding_while_no_token_is_skipped(target):
    text = greedy(target)
    verifier = EAGLEYVerifier(ScriptedDraft([*PROMPT, *text], target.vocab_size), target, 0.0, 5)
    ids = list(PROMPT)
    while len(ids) < len(PROMPT) + 20:
        chain = verifier.generate_draft(torch.tensor(ids))
        accepted, _ = verifier.continuous_verification(
            chain, torch.tensor(ids), verifier.draft_kv_cache
        )
        ids += accepted
    assert ids[len(PROMPT) :] == text[: len(ids) - len(PROMPT)]


def test_any_pair_of_transformers_models_will_do():
    verifier = EAGLEYVerifier(tiny_model(FAMILIES["qwen2"]), tiny_model(FAMILIES["llama"]), 0.1, 3)
    ids = list(PROMPT)
    for _ in range(6):
        chain = verifier.generate_draft(torch.tensor([ids]))
        accepted, scores = verifier.continuous_verification(chain, torch.tensor([ids]))
        assert len(accepted) == len(scores) >= 1
        ids += accepted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: v.generate_draft(torch.zeros(2, 5, dtype=torch.long)), "one text at a time"),
        (lambda v: v.generate_draft(torch.tensor([1])), "2 to 122 tokens, got 1"),
        (lambda v: v.generate_draft(torch.tensor([1, 2]), torch.tensor([0, 1])), "all ones"),
        (
            lambda v: v.continuous_verification(torch.tensor([1]), torch.tensor([1, 2]), object()),
            "must be the draft of this verifier",
        ),
    ],
)
def test_bad_input_is_named(verifier, call, message):
    with pytest.raises(ValueError, match=message):
        call(verifier)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"acceptance_threshold": 1.5}, "got 1.5"), ({"max_draft_length": 0}, "got 0")],
)
def test_bad_settings_are_named(changes, message):
    target = tiny_target()
    with pytest.raises(ValueError, match=message):
        EAGLEYVerifier(tiny_draft(target), target, **changes)
