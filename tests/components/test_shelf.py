"""Visitors' own comparisons: bounded, and found by their keys alone."""

import json

from components.selection import Comparison
from components.shelf import OWN, Shelf


def test_what_is_put_is_found_by_its_key(sample):
    shelf = Shelf()
    kept = shelf.put(sample)
    assert kept.key.startswith(OWN)
    assert kept.traces == sample.traces
    assert shelf.get(kept.key) is kept
    assert shelf.get("own-guess") is None


def test_keys_cannot_be_guessed_from_each_other(sample):
    shelf = Shelf()
    keys = {shelf.put(sample).key for _ in range(20)}
    assert len(keys) == 20
    assert all(len(key) >= len(OWN) + 16 for key in keys)
    assert json.dumps(sorted(keys)).isascii()


def test_the_one_unseen_for_longest_goes_first(sample):
    shelf = Shelf(most=2)
    first, second = shelf.put(sample), shelf.put(sample)
    shelf.get(first.key)
    third = shelf.put(sample)
    assert shelf.get(second.key) is None
    assert shelf.get(first.key) is first
    assert shelf.get(third.key) is third


def test_large_runs_leave_room_for_fewer(sample, tiny):
    nodes = sum(len(step.nodes) for trace in sample.traces for step in trace.steps)
    shelf = Shelf(most_nodes=nodes)
    small, large = shelf.put(Comparison("tiny", (tiny,))), shelf.put(sample)
    assert shelf.get(small.key) is None
    assert shelf.get(large.key) is large


def test_the_newest_is_kept_however_large_it_is(sample):
    shelf = Shelf(most_nodes=1)
    assert shelf.get(shelf.put(sample).key)
