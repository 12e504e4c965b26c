"""Numbers that follow from a trace. Every function says its denominator."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, Protocol

from eagley_core.trace import Prediction, Step, Trace


class Ratio(NamedTuple):
    """A share with both its counts, so that the denominator can be shown."""

    hits: int
    tested: int

    @property
    def value(self) -> float | None:
        return self.hits / self.tested if self.tested else None


class Level(NamedTuple):
    """One tested level of one step: a parent that was accepted and has at least one child."""

    depth: int
    accepted: bool
    first_choice: bool | None  # the draft's best child was the target's token; None: it had none


class Summary(NamedTuple):
    """A run in numbers."""

    prompt_tokens: int
    new_tokens: int
    seconds: float
    tokens_per_second: float  # prefill included
    decode_tokens_per_second: float | None  # tokens after the prefill's over decode time
    target_passes: int  # decode passes, the prefill left out
    mean_accepted_length: float | None
    acceptance_rate: Ratio
    acceptance_by_depth: tuple[Ratio, ...]
    first_choice_acceptance: Ratio
    node_acceptance: Ratio
    accepted_draft_tokens_per_step: float | None
    accepted_by_source: dict[str, int]
    draft_passes: int
    draft_seconds: float
    verify_seconds: float
    rows_verified: int  # roots and nodes, padding left out
    rows_discarded: int


def summary(trace: Trace) -> Summary:
    steps = trace.decode_steps
    decode_seconds = sum(step.seconds for step in steps)
    decoded = sum(step.emitted for step in steps)
    return Summary(
        prompt_tokens=len(trace.prompt_ids),
        new_tokens=len(trace.output_ids),
        seconds=trace.seconds,
        tokens_per_second=len(trace.output_ids) / trace.seconds,
        decode_tokens_per_second=decoded / decode_seconds if decode_seconds else None,
        target_passes=len(steps),
        mean_accepted_length=mean_accepted_length(trace),
        acceptance_rate=acceptance_rate(trace),
        acceptance_by_depth=acceptance_by_depth(trace),
        first_choice_acceptance=first_choice_acceptance(trace),
        node_acceptance=node_acceptance(trace),
        accepted_draft_tokens_per_step=_accepted_per_step(trace),
        accepted_by_source=dict(Counter(token.source for token in trace.emitted)),
        draft_passes=sum(step.draft_passes for step in steps),
        draft_seconds=sum(step.draft_seconds for step in steps),
        verify_seconds=sum(step.verify_seconds for step in steps),
        rows_verified=sum(1 + len(step.nodes) for step in steps),
        rows_discarded=sum(len(step.nodes) - len(step.accepted) for step in steps),
    )


def whole_steps(trace: Trace) -> tuple[Step, ...]:
    """Decode steps without a last one that EOS or a limit cut short."""
    return tuple(step for step in trace.decode_steps if not step.is_cut)


def mean_accepted_length(trace: Trace) -> float | None:
    """Tokens committed per target pass, bonus included, over the whole decode steps."""
    steps = whole_steps(trace)
    return sum(len(step.path_ids) for step in steps) / len(steps) if steps else None


def _accepted_per_step(trace: Trace) -> float | None:
    length = mean_accepted_length(trace)
    return None if length is None else length - 1


def levels(step: Step) -> Iterator[Level]:
    """The levels of a step that were tested, from the root down."""
    for depth, parent in enumerate((-1, *step.accepted), start=1):
        children = [node for node in step.nodes if node.parent == parent]
        if children:
            scored = [node for node in children if node.draft_probability is not None]
            best = max(scored, key=lambda node: node.draft_probability, default=None)
            verdicts = [node.verdict == "accepted" for node in children]
            yield Level(depth, any(verdicts), best and best.verdict == "accepted")


def _all_levels(trace: Trace) -> list[Level]:
    return [level for step in trace.decode_steps for level in levels(step)]


def acceptance_rate(trace: Trace) -> Ratio:
    """Levels accepted over levels tested. Siblings do not depress it."""
    found = _all_levels(trace)
    return Ratio(sum(level.accepted for level in found), len(found))


def acceptance_by_depth(trace: Trace) -> tuple[Ratio, ...]:
    found = _all_levels(trace)
    deepest = max((level.depth for level in found), default=0)
    by_depth = [[v for v in found if v.depth == depth] for depth in range(1, deepest + 1)]
    return tuple(Ratio(sum(v.accepted for v in group), len(group)) for group in by_depth)


def first_choice_acceptance(trace: Trace) -> Ratio:
    """Levels where the draft's likeliest child was accepted, over tested levels that it drafted."""
    found = [level.first_choice for level in _all_levels(trace) if level.first_choice is not None]
    return Ratio(sum(found), len(found))


def node_acceptance(trace: Trace) -> Ratio:
    """Accepted nodes over tested nodes."""
    verdicts = Counter(node.verdict for step in trace.decode_steps for node in step.nodes)
    return Ratio(verdicts["accepted"], verdicts["accepted"] + verdicts["rejected"])


def drafted_acceptance(trace: Trace) -> Ratio:
    """Accepted nodes over all verified nodes, those that were not tested included."""
    steps = trace.decode_steps
    accepted = sum(len(step.accepted) for step in steps)
    return Ratio(accepted, sum(len(step.nodes) for step in steps))


class Output(Protocol):
    """Whatever emitted tokens: a run of ours, or of another program."""

    @property
    def output_ids(self) -> Sequence[int]: ...


class Difference(NamedTuple):
    """The first output position where a run parts from its reference."""

    position: int  # index in the output
    margin: float  # the reference's margin there: how near a tie the target was
    is_tie: bool  # so small that rounding decides


# A margin that rounding may decide: absolute in float32, in units of the last place in half.
TIE_FLOAT32 = 1e-4
TIE_UNITS = 2
MANTISSA_BITS = {"bfloat16": 7, "float16": 10}


def first_difference(run: Output, reference: Trace) -> Difference | None:
    """Where `run` leaves `reference`; None when the outputs are identical."""
    if run.output_ids == reference.output_ids:
        return None
    pairs = zip(run.output_ids, reference.output_ids, strict=False)
    shorter = min(len(run.output_ids), len(reference.output_ids))
    index = next((i for i, (a, b) in enumerate(pairs) if a != b), shorter)
    decided = _decided(reference, min(index, len(reference.output_ids) - 1))
    bound = tie_bound(decided.logit, reference.environment.dtype)
    tie = decided.margin <= bound / (reference.config.temperature or 1.0)
    return Difference(index, decided.margin, tie)


def differing_tokens(run: Output, reference: Trace) -> int:
    """Output positions with another token, or with one in only one of the two."""
    pairs = zip_longest(run.output_ids, reference.output_ids)
    return sum(ours != theirs for ours, theirs in pairs)


def tie_bound(logit: float, dtype: str) -> float:
    """The largest difference of logits that counts as a numerical tie."""
    if dtype not in MANTISSA_BITS:
        return TIE_FLOAT32
    exponent = math.floor(math.log2(max(abs(logit), 2.0**-14)))
    return TIE_UNITS * 2.0 ** (exponent - MANTISSA_BITS[dtype])


def _decided(trace: Trace, index: int) -> Prediction:
    """The target's prediction that chose an output token."""
    token = trace.emitted[index]
    step = trace.steps[token.step]
    if token.node is None:
        row = step.accepted[-1] if step.accepted else -1
    else:
        row = step.nodes[token.node].parent
    return step.after_root if row == -1 else step.nodes[row].after
