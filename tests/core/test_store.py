"""EAGLEY's store: what is kept, found and forgotten."""

from eagley_core.steps import Rows
from eagley_core.store import BYTES_PER_ENTRY, Kept, Likeliest, Store
from eagley_core.trace import Origin

# Row 0 is the root, row 1 its accepted child; row 2, below it, and row 3 are rejected.
ROWS = Rows([5, 6, 7, 8], [0, 0, 1, 0], [6, 9, 9, 9], [None] * 3, [None] * 3)


def best(first: int) -> Likeliest:
    return Likeliest((first, first + 1), (0.6, 0.2))


def filled(max_contexts: int = 100) -> Store:
    store = Store(max_contexts)
    store.keep_step(Kept(3, 4, (1,)), ROWS, [best(10 * row) for row in range(4)])
    return store


def test_every_verified_row_is_kept_under_its_own_parent():
    store = filled()
    for row, (before, token) in enumerate([(4, 5), (5, 6), (6, 7), (5, 8)]):
        found = store.find(before, token)
        assert found.entry.likeliest == best(10 * row)
        assert found.order == 2


def test_an_entry_knows_its_row_and_whether_it_was_rejected():
    store = filled()
    assert store.find(4, 5).entry.origin == Origin(3, -1, False)
    assert store.find(5, 6).entry.origin == Origin(3, 0, False)
    assert store.find(6, 7).entry.origin == Origin(3, 1, True)
    assert store.find(5, 8).entry.origin == Origin(3, 2, True)


def test_one_token_of_context_is_found_where_two_are_unknown():
    found = filled().find(99, 7)
    assert (found.entry.likeliest, found.order) == (best(20), 1)
    assert filled().find(99, 98) is None


def test_the_newest_prediction_replaces_an_older_one():
    store = filled()
    store.keep_step(Kept(4, 4, ()), Rows([5], [0], [1], [], []), [best(70)])
    assert store.find(4, 5).entry.likeliest == best(70)
    assert store.find(0, 5).entry.likeliest == best(70)
    assert store.find(5, 6).entry.likeliest == best(10)


def test_the_prompt_is_kept_from_its_second_token_on():
    store = Store()
    store.keep_prompt([1, 2, 3], [best(0), best(10), best(20)])
    assert store.find(0, 1) is None
    assert store.find(1, 2).entry == (best(10), Origin(0, 1, False))
    assert store.find(2, 3).entry == (best(20), Origin(0, 2, False))


def test_the_oldest_contexts_are_forgotten_beyond_the_bound():
    store = Store(4)
    for token in range(10):
        store.keep_step(Kept(token, 50, ()), Rows([token], [0], [1], [], []), [best(token)])
    assert [store.find(50, token) is not None for token in range(10)] == [False] * 8 + [True] * 2
    assert store.bytes == 4 * BYTES_PER_ENTRY


def test_a_context_seen_again_counts_as_new():
    store = Store(4)
    for token in (1, 2, 1, 3):
        store.keep_step(Kept(token, 50, ()), Rows([token], [0], [1], [], []), [best(token)])
    assert store.find(50, 1) is not None
    assert store.find(50, 2) is None


def test_an_empty_store_has_no_bytes():
    assert Store().bytes == 0
