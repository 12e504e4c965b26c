"""Processed logits are transformers' own; a tree row's prefix is its own."""

import pytest
import torch
from transformers import (
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from eagley_core.config import DecodeConfig
from eagley_core.sampling import (
    best_tokens,
    choices,
    likely_tokens,
    processed,
    seen_tokens,
    top_tokens,
)
from eagley_core.tree import make_tree

V = 50
SETTINGS = [
    {"temperature": 0.7},
    {"temperature": 1.0},
    {"temperature": 1.3, "top_k": 7},
    {"temperature": 1.0, "top_k": V + 9},
    {"temperature": 1.0, "top_p": 0.8},
    {"temperature": 2.0, "top_p": 1e-9},
    {"temperature": 0.6, "top_k": 12, "top_p": 0.9},
    {"temperature": 1.1, "repetition_penalty": 1.4},
    {"temperature": 1.1, "repetition_penalty": 0.8, "top_k": 20, "top_p": 0.7},
]


def logits(rows: int = 6, size: int = V, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, size, generator=torch.Generator().manual_seed(seed)) * 3


def transformers_own(config: DecodeConfig) -> LogitsProcessorList:
    chain = LogitsProcessorList()
    if config.repetition_penalty != 1:
        chain.append(RepetitionPenaltyLogitsProcessor(config.repetition_penalty))
    chain.append(TemperatureLogitsWarper(float(config.temperature)))
    if config.top_k:
        chain.append(TopKLogitsWarper(config.top_k))
    if config.top_p < 1:
        chain.append(TopPLogitsWarper(config.top_p))
    return chain


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_processed_logits_are_transformers_own(settings):
    config, prefix = DecodeConfig(**settings), torch.tensor([[3, 7, 7, 11, 49]] * 6)
    seen = torch.zeros(6, V, dtype=torch.bool).scatter(1, prefix, True)
    found = processed(logits(), config, seen)
    torch.testing.assert_close(found, transformers_own(config)(prefix, logits().clone()))


def test_at_temperature_0_only_the_penalty_acts():
    plain = DecodeConfig(temperature=0, top_k=3, top_p=0.5)
    assert torch.equal(processed(logits(), plain, None), logits())
    seen = torch.zeros(6, V, dtype=torch.bool)
    seen[:, 4] = True
    config = DecodeConfig(temperature=0, repetition_penalty=1.5)
    changed = processed(logits(), config, seen) != logits()
    assert changed.nonzero()[:, 1].unique().tolist() == [4]


def test_half_precision_is_processed_in_float32():
    config = DecodeConfig(temperature=0.8, top_p=0.9)
    half = logits().bfloat16()
    assert torch.equal(processed(half, config, None), processed(half.float(), config, None))


def test_a_row_has_seen_the_text_its_ancestors_and_itself_but_no_siblings():
    #   10
    #   |  \
    #  11   12
    #  |
    #  13
    tree = make_tree(torch.tensor([10, 11, 12, 13]), torch.tensor([0, 0, 0, 1]), 2)
    seen = seen_tokens(torch.tensor([1, 2, 2]), tree.tokens, tree.mask, 20)
    found = [row.nonzero().flatten().tolist() for row in seen]
    assert found == [[1, 2, 10], [1, 2, 10, 11], [1, 2, 10, 12], [1, 2, 10, 11, 13]]


def test_the_penalty_acts_on_a_node_with_its_own_prefix():
    tree = make_tree(torch.tensor([10, 11, 12]), torch.tensor([0, 0, 0]), 1)
    seen = seen_tokens(torch.tensor([1]), tree.tokens, tree.mask, V)
    config = DecodeConfig(temperature=1.0, repetition_penalty=1.3)
    found = processed(logits(3), config, seen)
    for row, prefix in enumerate([[1, 10], [1, 10, 11], [1, 10, 12]]):
        alone = transformers_own(config)(torch.tensor([prefix]), logits(3)[row : row + 1].clone())
        torch.testing.assert_close(found[row : row + 1], alone)


def test_equal_maxima_go_to_the_lowest_id():
    scores = torch.zeros(2, 9)
    scores[1, 4] = scores[1, 7] = 1.0
    assert choices(scores, None).tolist() == [0, 4]


def test_noise_moves_the_choice():
    scores, noise = torch.zeros(1, 5), torch.zeros(1, 5)
    noise[0, 3] = 0.1
    assert choices(scores, noise).tolist() == [3]


@pytest.mark.parametrize("size", [5, 127, 256, 300, 1030])
def test_the_best_tokens_are_the_argmax_and_the_lowest_id_of_equals(size):
    generator = torch.Generator().manual_seed(size)
    few = torch.randint(0, 4, (60, size), generator=generator).float()  # equals in every block
    for scores in (torch.randn(60, size, generator=generator), few, few[:, :1].expand(60, size)):
        assert torch.equal(best_tokens(scores), scores.argmax(-1))
    masked = torch.full((1, size), -torch.inf)
    masked[0, -1] = 0.0
    assert best_tokens(masked).tolist() == [size - 1]


@pytest.mark.parametrize("size", [6, 7, 127, 128, 129, 767, 768, 769, 1000, 1025, 5003])
@pytest.mark.parametrize("k", [1, 4, 6])
def test_top_tokens_is_topk(size, k):
    for seed in range(3):
        rows = logits(5, size, seed)
        values, ids = top_tokens(rows, k)
        wanted = rows.topk(k)
        assert torch.equal(values, wanted.values)
        assert torch.equal(ids, wanted.indices)


def test_top_tokens_finds_a_best_that_all_lie_in_one_block_or_in_the_rest():
    rows = torch.zeros(2, 1003)
    rows[0, 256:262] = torch.arange(6.0, 0, -1)
    rows[1, 997:1003] = torch.arange(6.0, 0, -1)
    _, ids = top_tokens(rows, 6)
    assert ids.tolist() == [list(range(256, 262)), list(range(997, 1003))]


def test_top_tokens_of_equal_logits_are_distinct():
    values, ids = top_tokens(torch.ones(1, 1030), 6)
    assert len(set(ids[0].tolist())) == 6
    assert values.tolist() == [[1.0] * 6]


@pytest.mark.parametrize("size", [7, 128, 300, 1030])
def test_likely_tokens_are_the_likeliest_at_their_probability_or_a_little_above(size):
    generator = torch.Generator().manual_seed(size)
    logits = 3 * torch.randn(40, size, generator=generator)
    ids, odds = likely_tokens(logits, 3)
    true, best = logits.softmax(-1).topk(3)
    assert torch.equal(ids, best)
    assert (odds >= true - 1e-6).all()
    assert (odds <= 1).all()
    sure = torch.zeros(1, size).index_fill(1, torch.tensor([size - 1]), 20.0)
    assert likely_tokens(sure, 1)[1].item() == pytest.approx(1.0, abs=1e-4)
