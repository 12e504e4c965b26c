"""EAGLEY's store: what is kept, found and forgotten."""

from eagley_core.steps import Rows
from eagley_core.store import BYTES_PER_ENTRY, BYTES_PER_TOKEN, Follower, Kept, Likeliest, Store
from eagley_core.trace import Origin

# Row 0 is the root, row 1 its accepted child; row 2, below it, and row 3 are rejected.
ROWS = Rows([5, 6, 7, 8], [0, 0, 1, 0], [6, 9, 9, 9], [None] * 3, [None] * 3)


def best(first: int) -> Likeliest:
    return Likeliest((first, first + 1), (0.6, 0.2))


def filled(max_contexts: int = 100) -> Store:
    store = Store(max_contexts)
    store.keep_step(Kept(3, [3, 4], (1,), 9), ROWS, [best(10 * row) for row in range(4)])
    return store


def test_every_verified_row_is_kept_under_its_own_parent():
    store = filled()
    for row, (before, token) in enumerate([(4, 5), (5, 6), (6, 7), (5, 8)]):
        found = store.find([before, token])
        assert found.entry.likeliest == best(10 * row)
        assert found.order == 2


def test_an_entry_knows_its_row_and_whether_it_was_rejected():
    store = filled()
    assert store.find([4, 5]).entry.origin == Origin(3, -1, False)
    assert store.find([5, 6]).entry.origin == Origin(3, 0, False)
    assert store.find([6, 7]).entry.origin == Origin(3, 1, True)
    assert store.find([5, 8]).entry.origin == Origin(3, 2, True)


def test_the_longest_known_context_counts_even_where_a_shorter_one_is_newer():
    store = filled()
    store.keep_step(Kept(4, [0, 5], (), 1), Rows([6], [0], [1], [], []), [best(70)])
    found = {3: (4, 5, 6), 2: (9, 5, 6), 1: (9, 9, 6)}
    assert [store.find(context).order for context in found.values()] == list(found)
    tokens = [store.find(context).entry.likeliest for context in found.values()]
    assert tokens == [best(10), best(70), best(70)]


def test_where_texts_agree_the_longest_counts_and_the_entry_says_how_far():
    text = [*range(30), 99, *range(18, 30), 98, *range(27, 30)]
    store = Store()
    store.keep_prompt(text, [best(place) for place in range(len(text))], 97)
    follower = {}
    for n_equal in (24, 12, 3):
        found = store.find([77] * 5 + [*range(30 - n_equal, 30)])
        assert found.order == n_equal
        follower[n_equal] = found.entry.follower.token
    assert follower == {24: 99, 12: 98, 3: 97}


def test_one_token_of_context_is_found_where_two_are_unknown():
    found = filled().find([99, 7])
    assert (found.entry.likeliest, found.order) == (best(20), 1)
    assert filled().find([99, 98]) is None


def test_the_newest_prediction_replaces_an_older_one():
    store = filled()
    store.keep_step(Kept(4, [4], (), 1), Rows([5], [0], [1], [], []), [best(70)])
    assert store.find([4, 5]).entry.likeliest == best(70)
    assert store.find([0, 5]).entry.likeliest == best(70)
    assert store.find([5, 6]).entry.likeliest == best(10)


def test_the_prompt_is_kept_from_its_second_token_on():
    store = Store()
    store.keep_prompt([1, 2, 3], [best(0), best(10), best(20)], 4)
    assert store.find([0, 1]) is None
    second, third = Origin(0, 1, False), Origin(0, 2, False)
    assert store.find([1, 2]).entry == (best(10), second, Follower(3, second))
    assert store.find([2, 3]).entry == (best(20), third, Follower(4, third))


def test_only_committed_rows_have_a_follower_and_a_rejected_row_leaves_an_older_one():
    store = filled()
    followers = [store.find(c).entry.follower for c in ([4, 5], [5, 6], [6, 7], [5, 8])]
    assert followers[:2] == [Follower(6, Origin(3, -1, False)), Follower(9, Origin(3, 0, False))]
    assert followers[2:] == [None, None]
    rejected = Rows([0, 6], [0, 0], [1, 1], [None], [None])
    store.keep_step(Kept(4, [5], (), 2), rejected, [best(50), best(70)])
    newest = store.find([6]).entry
    assert newest == (best(70), Origin(4, 0, True), followers[1])
    assert newest.tokens == {70, 71, 9}


def test_the_oldest_contexts_are_forgotten_beyond_the_bound():
    store = Store(4)
    for token in range(10):
        store.keep_step(Kept(token, [50], (), 1), Rows([token], [0], [1], [], []), [best(token)])
    assert [store.find([50, token]) is not None for token in range(10)] == [False] * 8 + [True] * 2
    assert store.bytes == 4 * BYTES_PER_ENTRY + (2 + 1 + 2 + 1) * BYTES_PER_TOKEN


def test_a_context_seen_again_counts_as_new():
    store = Store(4)
    for token in (1, 2, 1, 3):
        store.keep_step(Kept(token, [50], (), 1), Rows([token], [0], [1], [], []), [best(token)])
    assert store.find([50, 1]) is not None
    assert store.find([50, 2]) is None


def test_an_empty_store_has_no_bytes():
    assert Store().bytes == 0
