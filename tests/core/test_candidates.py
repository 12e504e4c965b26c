"""Candidates of draft and store: deduplicated, valued, never above their parents."""

import math

import pytest
import torch

from eagley_core.admission import best_first
from eagley_core.calibration import Calibration
from eagley_core.candidates import CandidateSources, Place, read_pool
from eagley_core.config import DecodeConfig
from eagley_core.drafting import Couplings
from eagley_core.grow import Pool
from eagley_core.prior import Prior
from eagley_core.recycled import Recycled
from eagley_core.steps import Rows
from eagley_core.store import Kept, Likeliest, Store

# Every source is taken at its word, and the draft where both name a token.
PRIOR = Prior(
    {
        "drafted alone": (0, 1, 0, 0),
        "drafted recycled-2": (0, 1, 0, 0),
        "drafted not recycled-2": (0, 1, 0, 0),
        "drafted not recycled-1": (0, 1, 0, 0),
        "undrafted recycled-2": (0, 0, 1, 0),
        "open recycled-2": (0, 0, 1, 0),
        "undrafted recycled-1": (-1, 0, 1, 0),
    }
)
PLACE = Place(before=(1,), root=2, position=9, max_depth=3)
#  root 2 - 10 (0.5) - 20 (0.4)
#         \ 11 (0.25)
LOG_Q = [math.log(p) for p in (0.5, 0.25, 0.4)]
SCORES = torch.tensor([LOG_Q[0], LOG_Q[1], LOG_Q[0] + LOG_Q[2]])
POOL = Pool(
    torch.tensor([10, 11, 20]),
    torch.tensor([-1, -1, 0]),
    torch.tensor(LOG_Q),
    SCORES,
    torch.tensor(LOG_Q),
    SCORES,
)


def stored(*entries: tuple[int, int, Likeliest]) -> Store:
    store = Store()
    for before, token, likeliest in entries:
        rejected = Rows([before, token], [0, 0], [0, 0], [None], [None])
        store.keep_step(Kept(1, [], (), 0), rejected, [Likeliest((), ()), likeliest])
    return store


UNCOUPLED = Couplings(None, DecodeConfig())


def sources(store: Store | None, place: Place = PLACE) -> CandidateSources:
    guessers = [] if store is None else [Recycled(store, UNCOUPLED)]
    return CandidateSources(read_pool(POOL, False), guessers, Calibration(PRIOR), place)


def ordered(store: Store | None, place: Place = PLACE) -> list:
    return best_first(sources(store, place).expand, 100)


def test_without_a_store_the_candidates_are_the_pools():
    found = ordered(None)
    assert [(c.token, c.depth, c.sources) for c in found] == [
        (10, 1, ("draft",)),
        (11, 1, ("draft",)),
        (20, 2, ("draft",)),
    ]
    assert found[2].parent is found[0]
    assert found[2].log_q == pytest.approx(LOG_Q[2])
    assert found[2].score == pytest.approx(LOG_Q[0] + LOG_Q[2])


def test_values_multiply_along_the_path():
    found = {c.token: c.value for c in ordered(None)}
    assert found == pytest.approx({10: 0.5, 11: 0.25, 20: 0.5 * 0.4})


def test_the_store_grafts_children_and_extends_leaves():
    store = stored((1, 2, Likeliest((30,), (0.8,))), (2, 11, Likeliest((31,), (0.7,))))
    found = {c.token: c for c in ordered(store)}
    assert found[30].sources == ("recycled",)
    assert found[30].value == pytest.approx(0.8)
    assert found[30].log_q is None
    assert found[31].parent is found[11]
    assert found[31].value == pytest.approx(0.25 * 0.7)


def test_grafts_go_on_as_long_as_the_store_knows_more():
    store = stored((1, 2, Likeliest((30,), (0.8,))), (2, 30, Likeliest((31,), (0.9,))))
    found = {c.token: c for c in ordered(store)}
    assert found[31].parent is found[30]
    assert found[31].depth == 2


def test_a_token_of_both_sources_is_one_node_and_the_drafts_hit():
    store = stored((1, 2, Likeliest((10, 99), (0.95, 0.01))))
    tens = [c for c in ordered(store) if c.token == 10]
    assert [c.sources for c in tens] == [("draft", "recycled")]
    assert tens[0].value == pytest.approx(0.5)
    assert tens[0].evidence.family == "drafted recycled-2"
    assert tens[0].log_q == pytest.approx(LOG_Q[0])
    assert tens[0].origin is not None


def test_evidence_says_who_named_a_token_and_who_was_asked():
    store = stored((1, 2, Likeliest((10, 30), (0.6, 0.3))), (2, 11, Likeliest((31,), (0.7,))))
    families = {c.token: c.evidence.family for c in ordered(store)}
    assert families == {
        10: "drafted recycled-2",
        11: "drafted not recycled-2",
        20: "drafted alone",
        30: "undrafted recycled-2",
        31: "open recycled-2",
    }


def test_a_follower_is_named_first_and_makes_the_place_another():
    """Committed after (1, 2) was 40, which the target had given nothing then."""
    store = Store()
    likeliest = Likeliest((10, 30), (0.6, 0.3))
    store.keep_step(Kept(1, [1], (), 40), Rows([2], [0], [0], [], []), [likeliest])
    found = {c.token: c for c in ordered(store)}
    assert {token: c.evidence.family for token, c in found.items() if c.depth == 1} == {
        10: "drafted beside-2",
        11: "drafted not followed-2",
        30: "undrafted beside-2",
        40: "undrafted followed-2",
    }
    assert found[40].evidence.stored == 0.5
    store.keep_step(Kept(1, [1], (), 30), Rows([2], [0], [0], [], []), [likeliest])
    assert {c.token: c for c in ordered(store)}[30].evidence.stored == pytest.approx((1 + 0.3) / 2)


def test_a_shorter_context_is_evidence_of_its_own():
    store = stored((77, 2, Likeliest((30,), (0.8,))))
    found = {c.token: c for c in ordered(store)}
    assert found[30].evidence.kind == "recycled-1"
    assert found[30].value == pytest.approx(1 / (1 + math.exp(1 - math.log(4))))


def test_no_candidate_is_worth_more_than_its_parent():
    loop = [(2, 30, Likeliest((30, 10), (1.0, 1.0))), (30, 30, Likeliest((30,), (1.0,)))]
    for candidate in ordered(stored((1, 2, Likeliest((30,), (1.0,))), *loop)):
        assert candidate.value <= (candidate.parent.value if candidate.parent else 1.0)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_no_candidate_lies_outside_the_context(max_depth):
    loop = stored((30, 30, Likeliest((30,), (1.0,))), (1, 2, Likeliest((30,), (1.0,))))
    found = ordered(loop, PLACE._replace(max_depth=max_depth))
    assert max((c.depth for c in found), default=0) == max_depth


def test_siblings_never_share_a_token():
    store = stored((1, 2, Likeliest((10, 11, 30), (0.5, 0.3, 0.1))))
    children = [c.token for c in sources(store).expand(None)]
    assert sorted(children) == [10, 11, 30]
