"""A run may be left at any step; runs never mix."""

import threading

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from tests.core.tiny import TinyEngine, decode, steps, tiny_draft, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41]
OTHER = [1, 2, 3, 4]


@pytest.fixture
def fresh(target) -> TinyEngine:
    return TinyEngine(target, tiny_draft(target))


def facts(engine: TinyEngine, prompt: list[int], config: DecodeConfig) -> list[tuple]:
    """Everything about a run but its times."""
    found = steps(engine, prompt, config)
    return [(s.rows, s.labels, s.path, s.emitted, s.store_bytes, s.estimate) for s in found]


@pytest.mark.parametrize("config", [DecodeConfig("eagley", 20), DecodeConfig("eagle", 20)])
@pytest.mark.parametrize("n_steps", [1, 2, 5])
def test_the_run_after_a_closed_one_is_a_fresh_engines(fresh, target, config, n_steps):
    left = fresh.steps(PROMPT, DecodeConfig("eagley", 50, temperature=1.0), decode)
    for _ in range(n_steps):
        next(left)
    left.close()
    expected = facts(TinyEngine(target, tiny_draft(target)), OTHER, config)
    assert facts(fresh, OTHER, config) == expected


def test_the_run_after_a_finished_one_is_a_fresh_engines(fresh, target):
    config = DecodeConfig("eagley", 30)
    first = facts(fresh, PROMPT, config)
    facts(fresh, OTHER, DecodeConfig("eagle", 30, tree=TreeShape("fixed"), temperature=1.0))
    assert facts(fresh, PROMPT, config) == first


def test_cancelling_ends_the_run_after_the_step_at_hand(fresh):
    whole = tokens(fresh, PROMPT, DecodeConfig("eagley", 30))
    asked = iter([False, False, False, True])
    found = list(fresh.steps(PROMPT, DecodeConfig("eagley", 30), decode, lambda: next(asked)))
    assert len(found) == 3
    assert all(step.finish is None for step in found)
    emitted = [token for step in found for token in step.emitted]
    assert emitted == whole[: len(emitted)]
    assert tokens(fresh, PROMPT, DecodeConfig("eagley", 30)) == whole


def test_a_run_that_was_cancelled_while_it_waited_takes_no_pass(fresh):
    assert list(fresh.steps(PROMPT, DecodeConfig("eagley", 30), decode, lambda: True)) == []
    assert len(tokens(fresh, PROMPT, DecodeConfig("eagley", 5))) == 5


def test_a_long_prompt_can_be_given_up_between_its_blocks(fresh, monkeypatch):
    monkeypatch.setattr("eagley_core.target.PREFILL_ROWS", 3)
    expected = tokens(fresh, PROMPT, DecodeConfig("eagley", 9))
    asked = iter([False, True])
    assert list(fresh.steps(PROMPT, DecodeConfig("eagley", 9), decode, lambda: next(asked))) == []
    assert tokens(fresh, PROMPT, DecodeConfig("eagley", 9)) == expected


def test_a_dropped_iterator_frees_the_engine(fresh):
    next(fresh.steps(PROMPT, DecodeConfig("eagley", 30), decode))
    assert len(tokens(fresh, PROMPT, DecodeConfig("eagley", 5))) == 5


def test_an_error_in_a_run_frees_the_engine(fresh):
    def broken(ids):
        raise RuntimeError("no text")

    with pytest.raises(RuntimeError, match="no text"):
        list(fresh.steps(PROMPT, DecodeConfig("eagley", 5, stop=("x",)), broken))
    assert len(tokens(fresh, PROMPT, DecodeConfig("eagley", 5))) == 5


def test_runs_of_several_threads_do_not_mix(fresh):
    jobs = [
        (PROMPT, DecodeConfig("eagley", 25)),
        (OTHER, DecodeConfig("eagle", 25, temperature=1.0)),
        (PROMPT, DecodeConfig("vanilla", 25, temperature=1.0)),
        (OTHER, DecodeConfig("eagle", 25, tree=TreeShape("fixed"))),
    ]
    expected = [facts(fresh, *job) for job in jobs]
    found: dict[int, list] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: facts(fresh, *jobs[i])}))
        for i in range(len(jobs))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [found[i] for i in range(len(jobs))] == expected


def test_a_second_run_waits_until_the_first_is_closed(fresh):
    first = fresh.steps(PROMPT, DecodeConfig("eagley", 30), decode)
    next(first)
    found: list[int] = []
    second = threading.Thread(
        target=lambda: found.extend(tokens(fresh, OTHER, DecodeConfig("eagle", 5)))
    )
    second.start()
    next(first)
    assert not found
    first.close()
    second.join(60)
    assert len(found) == 5


def test_a_second_run_of_one_thread_is_refused_instead_of_waiting_for_itself(fresh):
    left = fresh.steps(PROMPT, DecodeConfig("eagle", 50), decode)
    next(left)
    with pytest.raises(RuntimeError, match="still open"):
        next(fresh.steps(OTHER, DecodeConfig("eagle", 5), decode))
    left.close()
    assert tokens(fresh, OTHER, DecodeConfig("eagle", 5))
