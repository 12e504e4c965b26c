"""Where the rows of a cache came from, as runs of positions. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from eagley_core.trace import CacheRun


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
