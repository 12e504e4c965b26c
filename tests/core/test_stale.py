"""Stale verdicts: from the rejected pass, at the same positions, until the rows are run anew."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig
from eagley_core.environment import environment
from eagley_core.provenance import overlaid
from eagley_core.recorder import Recorder, RunInfo
from eagley_core.rule import Rule
from eagley_core.stale_chain import stale_path
from eagley_core.steps import Rows, StepFacts
from eagley_core.target import Target
from eagley_core.trace import CacheRun, Trace
from eagley_core.trace_file import load_traces, save_traces
from eagley_core.verify import accept_exact
from tests.core.tiny import TinyEngine, decode, steps, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41]
SAMPLINGS = [{}, {"temperature": 0.8}, {"temperature": 0.8, "seed": 3}, {"temperature": 1.5}]
AGES = [1, 6, 16]


def stale(age: int, n_tokens: int = 60, **sampling: float) -> DecodeConfig:
    return DecodeConfig("eagley", n_tokens, reuse=("recycled", f"stale-kv:{age}"), **sampling)


def rows_of(cache: KVCache, start: int, stop: int) -> Tensor:
    (storage,) = cache.storage.values()
    return storage[..., start:stop, :]


def clean(target: Target, text: list[int]) -> KVCache:
    cache = target.new_cache(len(text) + 2)
    target.prefill(torch.tensor(text), cache)
    return cache


def runs_of(facts: StepFacts, provenance: str) -> list[CacheRun]:
    return [run for run in facts.provenances if run.provenance == provenance]


def largest_gap(found: Tensor, wanted: Tensor) -> float:
    return float((found - wanted).abs().max() / wanted.abs().max())


def test_the_rejected_branch_that_goes_on_longest_is_taken():
    #          root, two rejected children, then what hangs below them
    rows = Rows(
        tokens=[1, 10, 20, 11, 21, 22, 12],
        parents=[0, 0, 0, 1, 2, 4, 3],
        choices=[30, 11, 21, 50, 22, 60, 70],
        log_q=[None] * 6,
        scores=[None] * 6,
    )
    verdict = accept_exact(*rows[:3])
    assert (verdict.path, verdict.bonus_id) == ((), 30)
    assert stale_path(rows, verdict) == (2, 4, 5)
    assert stale_path(rows._replace(choices=[30, 11, 99, 50, 22, 60, 70]), verdict) == (1, 3)
    assert stale_path(rows._replace(choices=[30, 99, 99, 50, 22, 60, 70]), verdict) == ()
    accepted = accept_exact([1, 10, 11], [0, 0, 1], [10, 11, 12])
    assert stale_path(Rows([1, 10, 11], [0, 0, 1], [10, 11, 12], [], []), accepted) == ()


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_a_stale_verdict_is_the_rejected_passs_at_the_same_position(engine, sampling):
    known = steps(engine, PROMPT, stale(16, **sampling))
    n_found = 0
    for step in known[1:]:
        chain = [row for row, label in enumerate(step.labels, 1) if label.sources == ("stale",)]
        assert tuple(chain) == step.path[: len(chain)]
        for row in chain:
            origin = step.labels[row - 1].origin
            before, old_row = known[origin.step].rows, origin.node + 1
            position = step.position + row
            old = known[origin.step].position + before.depths[old_row]
            assert old_row not in known[origin.step].path
            if row == chain[-1]:  # predicted by the branch's last row
                assert (old + 1, before.choices[old_row]) == (position, step.rows.tokens[row])
            else:
                assert (old, before.tokens[old_row]) == (position, step.rows.tokens[row])
                assert before.choices[before.parents[old_row]] == step.rows.tokens[row]
            n_found += 1
    assert n_found > 2


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("sampling", SAMPLINGS[:2], ids=str)
def test_stale_rows_are_right_in_the_first_layer_alone(engine, age, sampling):
    text, n_found = list(PROMPT), 0
    for step in engine.steps(PROMPT, stale(age, **sampling), decode):
        text += step.emitted
        if step.finish is None and step.index:
            for run in runs_of(step, "stale"):
                found = rows_of(engine._cache, run.start, run.stop)
                wanted = rows_of(clean(engine.target, text[:-1]), run.start, run.stop)
                assert largest_gap(found[0], wanted[0]) < 1e-5
                assert largest_gap(found[1:], wanted[1:]) > 1e-3
                n_found += 1
    assert n_found


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("sampling", SAMPLINGS[:2], ids=str)
def test_after_a_refresh_the_cache_is_that_of_a_clean_pass(engine, age, sampling):
    text, clean_now, n_refreshed = list(PROMPT), True, 0
    for step in engine.steps(PROMPT, stale(age, 100, **sampling), decode):
        text += step.emitted
        refreshed = bool(runs_of(step, "verified"))
        clean_now = (clean_now or refreshed) and not runs_of(step, "stale")
        if clean_now and step.finish is None:
            n_refreshed += refreshed
            wanted = rows_of(clean(engine.target, text[:-1]), 0, len(text) - 1)
            found = rows_of(engine._cache, 0, engine._cache.length)
            assert found.shape == wanted.shape
            assert largest_gap(found, wanted) < 1e-5
    assert n_refreshed


@pytest.mark.parametrize("age", AGES)
def test_no_stale_row_outlives_its_age_and_a_refresh_is_counted_as_work(engine, age):
    for step in steps(engine, PROMPT, stale(age, 100))[1:]:
        assert all(0 <= run.age < age for run in runs_of(step, "stale"))
        laid = sum(run.stop - run.start for run in runs_of(step, "stale") if run.age == 0)
        again = sum(run.stop - run.start for run in runs_of(step, "verified"))
        assert step.n_rows == max(len(step.rows.tokens) - laid + again, engine.target.min_rows)


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_where_no_branch_goes_on_the_tokens_are_vanillas(engine, sampling):
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 60, **sampling))
    found: list[int] = []
    for step in engine.steps(PROMPT, stale(16, **sampling), decode):
        if runs_of(step, "stale"):
            break
        found += step.emitted
    assert found == expected[: len(found)]


@pytest.mark.parametrize("n_tokens", range(20, 44, 3))
def test_a_shorter_run_is_the_beginning_of_a_longer_one(engine, n_tokens):
    config = stale(6, 60, temperature=0.8, seed=3)
    whole = tokens(engine, PROMPT, config)
    assert tokens(engine, PROMPT, replace(config, max_new_tokens=n_tokens)) == whole[:n_tokens]


@pytest.mark.parametrize("sampling", SAMPLINGS[:3], ids=str)
def test_the_channel_fills_the_context_to_its_end(engine, sampling):
    run = steps(engine, PROMPT * 10, stale(8, 1000, **sampling))
    assert run[-1].finish == "context"
    assert sum(len(step.emitted) for step in run) == engine.target.context - 70


def test_eagle_and_vanilla_do_not_use_the_channel(engine):
    for method in ("eagle", "vanilla"):
        run = steps(engine, PROMPT, replace(stale(16), method=method))
        assert not any(step.provenances for step in run)


def test_another_rule_is_refused():
    with pytest.raises(ValueError, match="stale-kv needs the rule exact, got rule top-k:3"):
        replace(stale(4), rule=Rule("top-k", (3,)))


def trace_of(engine: TinyEngine, config: DecodeConfig) -> Trace:
    where = environment(engine, True)
    info = RunInfo("tiny", "", "", tuple(PROMPT), config, "tiny head", where)
    return Recorder(engine.target, decode, info).trace(steps(engine, PROMPT, config))


def test_the_trace_records_stale_rows_their_age_and_their_source(engine, tmp_path):
    trace = trace_of(engine, stale(16))
    trace.check()
    save_traces(tmp_path / "stale.json.gz", [trace])
    (loaded,) = load_traces(tmp_path / "stale.json.gz")
    runs = [run for step in loaded.steps for run in step.cache if run.provenance == "stale"]
    assert {run.age for run in runs} > {0}
    assert any(token.source == "stale" for token in loaded.emitted)
    assert max(step.store_bytes for step in loaded.steps) > min(
        step.store_bytes for step in loaded.steps[1:]
    )


def test_runs_are_painted_over_by_position():
    base = [CacheRun(0, 7, "prefill"), CacheRun(7, 12, "kept"), CacheRun(12, 14, "verified")]
    over = [CacheRun(8, 12, "verified"), CacheRun(11, 13, "stale", 0)]
    assert overlaid(base, over) == (
        CacheRun(0, 7, "prefill"),
        CacheRun(7, 8, "kept"),
        CacheRun(8, 11, "verified"),
        CacheRun(11, 13, "stale", 0),
        CacheRun(13, 14, "verified"),
    )
    assert overlaid(base, ()) == tuple(base)
