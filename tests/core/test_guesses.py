"""Sources of guesses beside the draft, on steps written by hand."""

from types import SimpleNamespace

import pytest

from eagley_core.candidates import HostPool
from eagley_core.guesses import Spot
from eagley_core.kept_pool import KeptPool
from eagley_core.ngrams import NGrams
from eagley_core.steps import Rows
from eagley_core.suffix import Suffix
from eagley_core.trace import Origin

# Root 1; 2 accepted; below it 3 (rejected) with 4, and 4 with 5. The target said 9 after 2.
#   1 - 2 - 3 - 4 - 5
ROWS = Rows([1, 2, 3, 4, 5], [0, 0, 1, 2, 3], [2, 9, 40, 50, 60], [None] * 4, [None] * 4)


def facts(bonus: int = 9, **changes: object) -> SimpleNamespace:
    """A step as guessers read it."""
    known = {"index": 3, "turn": 0, "rows": ROWS, "path": (1,), "bonus_id": bonus}
    return SimpleNamespace(**{**known, "emitted": (2, bonus), **changes})


def at(*path: int) -> Spot:
    return Spot((2,), 9, 20, path)


def guessed(guesser, *path: int) -> list[int]:
    found = guesser.after(at(*path))
    return [] if found is None else [guess.token for guess in found.guesses]


@pytest.fixture
def suffix() -> Suffix:
    made = Suffix()
    made.learn(facts())
    return made


def test_a_rejected_branch_hangs_at_its_offset_under_the_correction(suffix):
    """3 was replaced by 9: 4 and what the target said after 3 may follow 9, 5 may follow 4."""
    assert suffix.after(at()).kind == "suffix-substituted"
    assert guessed(suffix) == [40, 4]
    assert guessed(suffix, 4) == [50, 5]
    assert guessed(suffix, 4, 5) == [60]


def test_a_branch_may_follow_as_a_whole_where_a_token_was_inserted(suffix):
    assert suffix.after(at(3)).kind == "suffix-inserted"
    assert guessed(suffix, 3) == [40, 4]
    assert guessed(suffix, 3, 4) == [50, 5]


def test_a_branch_follows_one_earlier_where_its_head_was_one_too_many():
    made = Suffix()
    made.learn(facts(bonus=4))
    by_path = {path: [g.token for g in own] for path, own in made._by_path["deleted"].items()}
    assert by_path == {(): [50, 5], (5,): [60]}


def test_a_suffix_node_knows_the_rejected_row_that_it_comes_from(suffix):
    assert suffix.after(at()).guesses[0].origin == Origin(3, 1, True, 0)


def test_a_suffix_lasts_one_step(suffix):
    suffix.learn(facts(path=(1, 2, 3, 4), bonus=60))
    assert guessed(suffix) == []


def test_ngrams_repeat_what_followed_the_longest_known_context():
    made = NGrams([5, 6, 7, 8, 1, 6, 7])
    spot = Spot((6,), 7, 6, ())
    assert made.after(spot).kind == "ngram-2"
    assert [g.token for g in made.after(spot).guesses] == [8]
    assert [g.token for g in made.after(spot._replace(path=(8,))).guesses] == [1]
    assert made.after(spot._replace(path=(99,))) is None


def test_ngrams_learn_what_is_emitted_and_prefer_the_newest():
    made = NGrams([5, 6, 7])
    made.learn(facts(emitted=(5, 6, 8, 5, 6)))
    assert [g.token for g in made.after(Spot((5,), 6, 0, ())).guesses] == [8]


POOL = HostPool(
    tokens=[2, 3, 9, 11, 12],
    log_q=[0.0] * 5,
    scores=[0.0] * 5,
    weights=[-1.0] * 5,
    children={-1: [0, 1], 0: [2], 2: [3, 4]},
)


def test_the_last_pool_goes_on_below_what_was_committed():
    kept = KeptPool()
    kept.keep(POOL)
    assert guessed(kept) == [2, 3]
    kept.learn(facts())  # 2 was accepted, 9 is the bonus
    assert guessed(kept) == [11, 12]
    assert guessed(kept, 11) == []


def test_a_pool_without_the_committed_tokens_is_forgotten():
    kept = KeptPool()
    kept.keep(POOL)
    kept.learn(facts(bonus=77))
    assert guessed(kept) == []
