"""The draft at work against a plain forward of the head, which keeps no cache."""

import pytest
import torch

from eagley_core.draft import EagleDraft
from eagley_core.drafting import DraftRows
from eagley_core.target import Target
from tests.core.reference_head import ReferenceHead
from tests.core.tiny import assert_near, begin, tiny_head, tiny_target

TEXT = [5, 9, 60, 33, 2, 17, 41, 8, 9]
HEADS = {
    "plain": {},
    "normed states": {"has_fc_norm": True},
    "own lm_head": {"has_lm_head": True},
    "one state, other rope": {"state_ids": (3,), "rope_theta": 500.0, "rms_norm_eps": 1e-3},
}


@pytest.fixture(params=HEADS)
def pair(request) -> tuple[Target, EagleDraft, ReferenceHead]:
    target = tiny_target()
    head = tiny_head(target, **HEADS[request.param])
    for name, weight in head.named_parameters():
        if "norm" in name:
            weight.uniform_(0.5, 2.0, generator=torch.Generator().manual_seed(1))
    rows = target.head_weight[head.target_ids]
    if head.config.has_lm_head:
        rows = head.lm_head.weight
    reference = ReferenceHead(head, target.embedding, rows)
    target.capture(head.config.state_ids)
    return target, EagleDraft(head, target, "tiny"), reference


def true_features(target: Target, ids: list[int]) -> torch.Tensor:
    return target.prefill(torch.tensor(ids), target.new_cache(32)).features


def wanted(reference: ReferenceHead, features: torch.Tensor, ids: list[int], drafted: int = 0):
    """The reference's figures by target id; a head's draft token i is the target's 2 i."""
    log_p = reference.predictions(features, ids, drafted)
    return [dict(zip(range(0, 64, 2), row.tolist(), strict=True)) for row in log_p]


def own(found, row: int) -> dict[int, float]:
    """One row's tokens of the head's own vocabulary, renormalised over them."""
    pairs = zip(found.tokens[row].tolist(), found.log_probs[row].tolist(), strict=True)
    kept = {token: value for token, value in pairs if token % 2 == 0}
    total = torch.tensor(list(kept.values())).logsumexp(0).item()
    return {token: value - total for token, value in kept.items()}


def test_the_first_guesses_are_the_plain_forwards(pair):
    target, draft, reference = pair
    features = true_features(target, TEXT[:-1])
    draft.start(begin(64, 0))
    found = draft.feed(features, TEXT[1:], 64)
    assert own(found, 0) == pytest.approx(wanted(reference, features, TEXT[1:])[0], abs=1e-4)


def test_guesses_come_likeliest_first(pair):
    target, draft, _ = pair
    draft.start(begin(64, 0))
    found = draft.feed(true_features(target, TEXT[:-1]), TEXT[1:], 9)
    assert found.log_probs[0].tolist() == sorted(found.log_probs[0].tolist(), reverse=True)


@pytest.mark.parametrize("pieces", [[8], [1, 7], [3, 1, 4], [1] * 8])
def test_feeding_in_pieces_is_feeding_at_once(pair, pieces):
    target, draft, reference = pair
    features = true_features(target, TEXT[:-1])
    draft.start(begin(64, 0))
    start = 0
    for size in pieces:
        found = draft.feed(features[start : start + size], TEXT[start + 1 : start + size + 1], 64)
        start += size
        draft.extend(level(found, [found.tokens[0, 0].item()], draft.length, 1), 4)
    assert own(found, 0) == pytest.approx(wanted(reference, features, TEXT[1:])[0], abs=1e-4)


def level(found, tokens: list[int], position: int, n_seen: int, row: int = 0) -> DraftRows:
    """A level of siblings below one row, seeing `n_seen` - 1 tree rows before and themselves."""
    n = len(tokens)
    mask = torch.cat([torch.ones(n, n_seen - 1) > 0, torch.eye(n) > 0], dim=1)
    hidden = found.hidden[row].expand(n, -1)
    return DraftRows(hidden, torch.tensor(tokens), torch.full((n,), position), mask)


def test_a_chain_drafted_level_by_level_is_the_plain_forwards(pair):
    target, draft, reference = pair
    features = true_features(target, TEXT[:5])
    draft.start(begin(64, 0))
    found = draft.feed(features, TEXT[1:6], 64)
    for depth, token in enumerate([10, 31, 40], start=1):
        found = draft.extend(level(found, [token], draft.length + depth - 1, depth), 64)
        ids = [*TEXT[1:6], *[10, 31, 40][:depth]]
        figures = wanted(reference, features, ids, depth)[-1]
        assert own(found, 0) == pytest.approx(figures, abs=1e-4)


def test_siblings_do_not_see_each_other(pair):
    target, draft, _ = pair
    draft.start(begin(64, 0))
    first = draft.feed(true_features(target, TEXT[:5]), TEXT[1:6], 4)
    alone = draft.extend(level(first, [10], draft.length, 1), 4)
    among = draft.extend(level(first, [31, 10, 40], draft.length, 1), 4)
    assert_near(among.hidden[1], alone.hidden[0])


def test_tree_levels_leave_no_trace_in_the_fed_rows(pair):
    target, draft, _ = pair
    features = true_features(target, TEXT[:-1])
    draft.start(begin(64, 0))
    first = draft.feed(features[:5], TEXT[1:6], 4)
    draft.extend(level(first, [10, 31], draft.length, 1), 4)
    after = draft.feed(features[5:], TEXT[6:], 4)
    draft.start(begin(64, 0))
    draft.feed(features[:5], TEXT[1:6], 4)
    assert_near(draft.feed(features[5:], TEXT[6:], 4).hidden, after.hidden)


def test_q_is_at_the_runs_temperature(pair):
    target, draft, _ = pair
    features = true_features(target, TEXT[:-1])
    by_temperature = []
    for temperature in (0, 1.0, 2.0):
        draft.start(begin(64, temperature))
        by_temperature.append(draft.feed(features, TEXT[1:], 99).log_probs)
    greedy, one, two = by_temperature
    assert torch.equal(greedy, one)
    assert_near(two, (one / 2).log_softmax(-1))


def test_tokens_of_the_context_join_the_drafts_vocabulary():
    target = tiny_target()
    draft = EagleDraft(tiny_head(target), target, "tiny")
    target.capture(draft.state_ids)
    features = true_features(target, TEXT[:-1])
    draft.start(begin(64, 0))
    found = draft.feed(features, TEXT[1:], 64)
    odd = {token for token in found.tokens[0].tolist() if token % 2}
    assert odd == {token for token in TEXT[1:] if token % 2}
    draft.start(begin(64, 0))
    found = draft.feed(features[:2], TEXT[1:3], 64)
    assert {token for token in found.tokens[0].tolist() if token % 2} == {9}


def test_a_head_with_its_own_lm_head_keeps_its_vocabulary():
    target = tiny_target()
    draft = EagleDraft(tiny_head(target, has_lm_head=True), target, "tiny")
    target.capture(draft.state_ids)
    draft.start(begin(64, 0))
    found = draft.feed(true_features(target, TEXT[:-1]), TEXT[1:], 64)
    assert found.tokens.shape == (1, 32)
    assert not any(token % 2 for token in found.tokens[0].tolist())


def test_no_token_is_proposed_twice(pair):
    target, draft, _ = pair
    draft.start(begin(64, 0))
    found = draft.feed(true_features(target, TEXT[:-1]), TEXT[1:], 64)
    assert len(set(found.tokens[0].tolist())) == found.tokens.shape[1]
