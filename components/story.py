"""Which step is worth telling of, to who has never seen speculative decoding."""

from collections.abc import Iterator
from typing import NamedTuple

from eagley_core.trace import Step, Trace


class Story(NamedTuple):
    """The step that is walked through, and where one of its rejected guesses came back."""

    trace: Trace
    step: Step
    rejected: int | None  # a node of the step
    later: Step | None
    again: int | None  # a node of the later step, kept from the rejected one's row

    @property
    def first(self) -> int | None:
        """The first accepted node."""
        return self.step.accepted[0] if self.step.accepted else None


def story_of(trace: Trace) -> Story | None:
    """The step to tell of: best, one of whose rejected guesses was kept and accepted later on."""
    kept = [(later, again) for later in trace.decode_steps for again in _returned(trace, later)]
    for later, again in kept:
        origin = later.nodes[again].origin
        step = trace.steps[origin.step]
        if step.accepted:
            return Story(trace, step, origin.node, later, again)
    step = max(trace.decode_steps, key=_worth, default=None)
    return Story(trace, step, _first_rejected(step), None, None) if step else None


def _returned(trace: Trace, step: Step) -> Iterator[int]:
    """Accepted nodes that were kept from rejected rows of this run."""
    for index in step.accepted:
        origin = step.nodes[index].origin
        if not origin or not origin.rejected or origin.turn != trace.turn:
            continue
        # A file may name a row that the run lacks.
        if 0 < origin.step < step.index and 0 <= origin.node < len(trace.steps[origin.step].nodes):
            yield index


def _worth(step: Step) -> tuple:
    return bool(step.accepted) and _first_rejected(step) is not None, len(step.accepted)


def _first_rejected(step: Step) -> int | None:
    return next((i for i, node in enumerate(step.nodes) if node.verdict == "rejected"), None)
