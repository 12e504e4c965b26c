"""What a run kept in memory, from its trace."""

from typing import NamedTuple

from eagley_core.trace import Trace


class Memory(NamedTuple):
    """The most that a run held at once."""

    store_bytes: int  # EAGLEY's table of predictions (R1) and rows that wait for a token (R6)
    rows: int  # of the target's cache: the text's and those of a tree
    row_bytes: int | None  # keys and values of every layer; None: not recorded

    @property
    def cache_bytes(self) -> int | None:
        return None if self.row_bytes is None else self.rows * self.row_bytes


def memory(trace: Trace) -> Memory:
    """Figures as stored; what Python's own objects need on top is not counted."""
    return Memory(
        store_bytes=max(step.store_bytes for step in trace.steps),
        rows=max((run.stop for step in trace.steps for run in step.cache), default=0),
        row_bytes=trace.row_bytes,
    )
