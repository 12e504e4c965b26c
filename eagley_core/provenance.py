"""Where the rows of a cache came from, as runs of positions. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from eagley_core.steps import StepFacts
from eagley_core.trace import CacheRun, Provenance


def cache_runs(facts: StepFacts, n_reused: int, n_prompt: int) -> tuple[CacheRun, ...]:
    """Where the rows that the cache holds or just dropped came from, by position."""
    prompt = (CacheRun(0, n_reused, "kept"), CacheRun(n_reused, n_prompt, "prefill"))
    if facts.index == 0:
        return tuple(run for run in prompt if run.start < run.stop)
    kept = facts.position + 1 + len(facts.path)
    deepest = facts.position + 1 + max(facts.rows.depths)
    runs = (
        *prompt,
        CacheRun(n_prompt, facts.position, "kept"),
        *verified_runs(facts),
        CacheRun(kept, deepest, "dropped"),
    )
    return overlaid([run for run in runs if run.start < run.stop], facts.provenances)


def verified_runs(facts: StepFacts) -> list[CacheRun]:
    """The root's and the accepted path's rows: computed in this pass, or partly by drafting."""
    runs: list[CacheRun] = []
    for position, row in enumerate((0, *facts.path), start=facts.position):
        origin: Provenance = "shared" if row in facts.shared else "verified"
        begin = runs.pop().start if runs and runs[-1].provenance == origin else position
        runs.append(CacheRun(begin, position + 1, origin))
    return runs


def overlaid(runs: Iterable[CacheRun], over: Iterable[CacheRun]) -> tuple[CacheRun, ...]:
    """`runs` with those of `over` painted on top, by position. A later one covers an earlier."""
    painted = list(runs)
    for new in over:
        painted = [part for run in painted for part in _outside(run, new)] + [new]
    return tuple(sorted(painted, key=lambda run: run.start))


def _outside(run: CacheRun, new: CacheRun) -> Iterator[CacheRun]:
    """What is left of `run` before and behind `new`."""
    before, behind = (run.start, min(run.stop, new.start)), (max(run.start, new.stop), run.stop)
    for start, stop in (before, behind):
        if start < stop:
            yield replace(run, start=start, stop=stop)
