"""What the engine yields: one step's facts, as they are known right after its target pass."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from eagley_core.internals import Internals
from eagley_core.judge import Ruling
from eagley_core.prior import Evidence
from eagley_core.trace import CacheRun, Estimate, FinishReason, Origin, Source


class Label(NamedTuple):
    """What the proposer knows of one node beyond the draft's figures."""

    sources: tuple[Source, ...]
    value: float
    evidence: Evidence | None  # None: its place was not a matter of chance
    origin: Origin | None


class Rows(NamedTuple):
    """A target pass's rows on the host; row 0 is the root, parents[0] is 0."""

    tokens: Sequence[int]
    parents: Sequence[int]
    choices: Sequence[int]  # the target's own token after each row
    log_q: Sequence[float | None]  # one per node: row 1 and on
    scores: Sequence[float | None]

    @property
    def depths(self) -> list[int]:
        depths = [0]
        for parent in self.parents[1:]:
            depths.append(depths[parent] + 1)
        return depths


class Laps(NamedTuple):
    """When a step started on the run's clock, and how long its phases took, in seconds."""

    started: float
    draft: float
    verify: float
    accept: float
    commit: float


class Stopwatch:
    """Splits a step into its phases. `synchronize` waits for the device first."""

    def __init__(self, start: float, synchronize: Callable[[], None]) -> None:
        self._start, self._synchronize = start, synchronize
        self._marks = [time.perf_counter()]

    def lap(self) -> None:
        self._synchronize()
        self._marks.append(time.perf_counter())

    def laps(self) -> Laps:
        pairs = zip(self._marks, self._marks[1:], strict=False)
        return Laps(self._marks[0] - self._start, *(b - a for a, b in pairs))


@dataclass(frozen=True, eq=False)
class StepFacts:
    """One step. `path` holds accepted rows; `hidden` [rows, H] is kept for the recorder only."""

    index: int
    position: int  # the root's
    rows: Rows
    labels: Sequence[Label] | None  # one per node; None: the draft's own, not weighed
    path: tuple[int, ...]
    bonus_id: int
    emitted: tuple[int, ...]
    finish: FinishReason | None
    n_rows: int  # rows of the pass, padding included
    draft_passes: int
    store_bytes: int
    estimate: Estimate | None
    laps: Laps
    hidden: Tensor
    turn: int  # of the conversation; 0 is the first
    internals: Internals | None = None  # of the whole run, on its last step, where asked for
    provenances: tuple[CacheRun, ...] = ()  # rows whose provenance a plain step would not have
    rulings: Mapping[int, Ruling] | None = None  # by tested row; None: matched with its own tokens
    shared: tuple[int, ...] = ()  # rows whose first layers drafting had computed

    @property
    def emitted_sources(self) -> tuple[str, ...]:
        """Where each emitted token came from."""
        sources = [self.labels[r - 1].sources[0] if self.labels else "draft" for r in self.path]
        return tuple([*sources, "bonus"][: len(self.emitted)])
