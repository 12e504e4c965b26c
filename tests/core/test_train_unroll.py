"""Training sees what drafting does: the unrolled steps, the loss, the vocabulary, by hand."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core.target import Target
from eagley_core.train.batches import Batch, by_length, collate, endless, tempered
from eagley_core.train.data import Conversations
from eagley_core.train.features import FeatureFiles, Features
from eagley_core.train.start import Start, folded, new_head, trained_head
from eagley_core.train.unroll import lookup, unroll, with_words
from eagley_core.train.vocab import OUTSIDE, draft_index, most_frequent
from tests.core.tiny import VOCABULARY, tiny_head, tiny_target

LENGTH, STATES = 9, 3


@pytest.fixture(scope="module")
def deep() -> Target:
    target = tiny_target(num_hidden_layers=8)
    target.capture((2, 4, 5))
    return target


@pytest.fixture(scope="module")
def start(deep: Target) -> Start:
    states = torch.randn(50, STATES, deep.hidden_size, generator=torch.Generator().manual_seed(1))
    return new_head(deep, torch.arange(0, VOCABULARY, 2), states * 5, seed=0)


def a_batch(width: int, n: int = 2) -> Batch:
    """n conversations of LENGTH tokens, all of them answer."""
    generator = torch.Generator().manual_seed(2)
    labels = torch.rand(n, LENGTH, VOCABULARY, generator=generator).log_softmax(-1).topk(4)
    return Batch(
        torch.randint(0, VOCABULARY, (n, LENGTH), generator=generator),
        torch.randn(n, LENGTH, STATES, width, generator=generator) * 5,
        labels.indices,
        labels.values,
        torch.ones(n, LENGTH, dtype=torch.bool),
        n * LENGTH,
        torch.arange(VOCABULARY),
    )


def causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)


@torch.no_grad()
def drafted(start: Start, target: Target, batch: Batch, row: int, n_steps: int) -> list[Tensor]:
    """Logits of a chain drafted from token `row`, as in use: one row after another, own outputs."""
    head, tokens = folded(start), batch.tokens[0]
    hidden = head.fuse(batch.states[:1, : row + 1])
    logits = []
    for step in range(n_steps):
        embeds = target.embedding[tokens[None, 1 : row + 2 + step]]
        out = head(hidden, embeds, torch.arange(row + 1 + step), causal)
        logits.append(head.norm(out[0, -1]) @ target.head_weight[head.target_ids].mT)
        hidden = torch.cat([hidden, out[:, -1:]], dim=1)
    return logits


@pytest.mark.parametrize("row", [0, 3, LENGTH - 5])
def test_unrolled_steps_equal_drafting_a_chain(deep: Target, start: Start, row: int) -> None:
    batch = a_batch(deep.hidden_size)
    with torch.no_grad():
        frozen = lookup(deep, start)
        steps = list(unroll(start, frozen, batch, 3))
    for depth, wanted in enumerate(drafted(start, deep, batch, row, 3)):
        logits = frozen.head_rows @ steps[depth].states[row]
        assert torch.allclose(logits, wanted, atol=1e-4)


def test_each_step_is_judged_by_the_target_at_the_token_it_predicts(
    deep: Target, start: Start
) -> None:
    batch = a_batch(deep.hidden_size, n=1)
    for depth, step in enumerate(unroll(start, lookup(deep, start), batch, 3)):
        assert len(step.states) == LENGTH - 2 - depth
        ids = batch.label_ids[0, 1 + depth : LENGTH - 1]  # what follows token i + 1 + depth
        wanted = torch.where(ids % 2 == 0, ids // 2, OUTSIDE)
        assert torch.equal(step.label_index, wanted)


def test_words_of_the_batch_are_learned_beside_the_vocabulary(deep: Target, start: Start) -> None:
    """The start knows the even tokens; 3 and 7 are added behind them, 8 is there already."""
    frozen = lookup(deep, start)
    more = with_words(frozen, torch.tensor([3, 7, 8]))
    assert len(more.head_rows) == len(frozen.head_rows) + 2
    for word in (3, 7, 8):
        assert torch.equal(more.head_rows[more.draft_index[word]], deep.head_weight[word])
    assert more.draft_index[[8, 5]].tolist() == [4, OUTSIDE]
    assert frozen.draft_index[3] == OUTSIDE


def test_only_response_tokens_are_predicted(deep: Target, start: Start) -> None:
    batch = a_batch(deep.hidden_size, n=1)
    batch.is_response[:, :5] = False
    counts = [len(step.states) for step in unroll(start, lookup(deep, start), batch, 3)]
    assert counts == [4, 4, 4]  # tokens 5 to 8, whichever row they are drafted from


def test_conversations_of_a_batch_do_not_see_each_other(deep: Target, start: Start) -> None:
    both = a_batch(deep.hidden_size)
    alone = Batch(*(part[1:] for part in both[:-2]), LENGTH, both.words)
    frozen = lookup(deep, start)
    with torch.no_grad():
        pairs = zip(unroll(start, frozen, both, 2), unroll(start, frozen, alone, 2), strict=True)
        for together, single in pairs:
            last = together.states[len(together.states) // 2 :]
            assert torch.allclose(last, single.states, atol=1e-5)


def test_folded_head_reads_raw_states(deep: Target, start: Start) -> None:
    states = a_batch(deep.hidden_size).states
    scaled = start.head.fuse(states * start.gain)
    assert torch.allclose(folded(start).fuse(states), scaled, atol=1e-5)


def test_head_trained_further_begins_as_it_was(deep: Target, start: Start) -> None:
    states = a_batch(deep.hidden_size).states
    stored = folded(start)
    again = trained_head(stored, stored.target_ids, states.flatten(0, 1) * 3)
    assert not torch.allclose(again.head.fc.weight, stored.fc.weight, rtol=0.5)
    assert torch.allclose(folded(again).fuse(states), stored.fuse(states), atol=1e-5)
    more = trained_head(stored, torch.arange(0, VOCABULARY), states.flatten(0, 1))
    assert torch.equal(more.head.target_ids, torch.arange(0, VOCABULARY))


def test_head_with_an_lm_head_of_its_own_is_not_trained_further(deep: Target) -> None:
    head = tiny_head(deep, has_lm_head=True)
    with pytest.raises(ValueError, match="is not trained on"):
        trained_head(head, head.target_ids, torch.ones(5, STATES, deep.hidden_size))


def test_new_head_starts_from_the_targets_last_layer(deep: Target, start: Start) -> None:
    mid, width = start.head.midlayer, deep.hidden_size
    states = torch.randn(5, width)
    layer = deep.layers[-1]
    assert torch.allclose(
        F.linear(states, mid.self_attn.q_proj.weight[:, width:]),
        layer.self_attn.q_proj(states),
        atol=1e-5,
    )
    assert torch.allclose(mid.mlp(states), layer.mlp(states), atol=1e-5)


def test_draft_vocabulary_is_the_most_frequent_answers_in_order() -> None:
    #  answers: 9 9 7 / 5 9 7 3, so 9 three times, 7 twice, then 3 and 5 once
    tokens = torch.tensor([1, 9, 9, 7, 2, 5, 9, 7, 3], dtype=torch.int32)
    made = Conversations(tokens, torch.tensor([0, 4, 9]), torch.tensor([1, 1]))
    assert most_frequent(made, [0, 1], 3, 12).tolist() == [3, 7, 9]
    assert draft_index(torch.tensor([3, 7, 9]), 12)[[3, 7, 9, 4]].tolist() == [0, 1, 2, OUTSIDE]


def test_colder_labels_by_hand(deep: Target) -> None:
    batch = a_batch(deep.hidden_size, n=1)
    odds = torch.tensor([0.6, 0.3, 0.0]).log().expand(1, LENGTH, 3)
    colder = tempered(batch._replace(label_logp=odds), 0.5).label_logp.exp()
    assert torch.allclose(colder[0, 0], torch.tensor([0.8, 0.2, 0.0]))


def test_a_conversation_that_is_too_long_is_cut() -> None:
    offsets, starts = torch.tensor([0, 50]), torch.tensor([5])
    made = Conversations(torch.arange(50).int(), offsets, starts)
    found = Features(torch.zeros(50, 3, 2), torch.zeros(50, 4).int(), torch.zeros(50, 4))
    batch = collate(made, FeatureFiles([found], [50]), [0], 20, torch.device("cpu"))
    assert batch.tokens.tolist() == [list(range(20))]
    assert batch.is_response.sum() == 15
    assert batch.n_tokens == len(batch.words) == 20


def test_batches_hold_every_conversation_once_an_epoch_within_the_limit() -> None:
    lengths = torch.randint(5, 40, (250,), generator=torch.Generator().manual_seed(0))
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    made = Conversations(torch.zeros(int(offsets[-1])).int(), offsets, torch.ones(250).long())
    groups = by_length(made, range(250), 100)
    assert sorted(i for group in groups for i in group) == list(range(250))
    assert all(len(g) * int(lengths[g].max()) <= 100 for g in groups)
    source = endless(made, range(250), 100, seed=3)
    epoch = [next(source) for _ in range(len(groups))]
    assert epoch != groups
    again = endless(made, range(250), 100, seed=3)
    assert [next(again) for _ in range(len(groups))] == epoch
