"""A lane's numbers, each with its definition."""

from typing import NamedTuple

from components.labels import percent, quantity
from components.marks import DRAWN
from eagley_core.metrics import Ratio, Summary, first_difference, summary
from eagley_core.trace import Trace


class Number(NamedTuple):
    label: str
    value: str
    definition: str


def headline(trace: Trace, vanilla: Trace | None) -> str:
    """What one reads first: speed, and against the measured baseline."""
    numbers = summary(trace)
    speed = f"{quantity(numbers.decode_tokens_per_second, 1)} tokens/s"
    ratio = speed_up(trace, vanilla)
    return speed if ratio is None or trace is vanilla else f"{speed}, {ratio:.2f}× vanilla"


def speed_up(trace: Trace, vanilla: Trace | None) -> float | None:
    """Decode speed over that of the vanilla lane, measured in the same comparison."""
    if vanilla is None:
        return None
    base = summary(vanilla).decode_tokens_per_second
    own = summary(trace).decode_tokens_per_second
    return own / base if own and base else None


def numbers(trace: Trace, vanilla: Trace | None) -> tuple[Number, ...]:
    """What a lane shows under its text."""
    totals = summary(trace)
    return (
        *_speed(trace, totals, vanilla),
        *(_drafting(totals) if trace.config.method != "vanilla" else ()),
        *_work(trace, totals),
    )


def _speed(trace: Trace, totals: Summary, vanilla: Trace | None) -> tuple[Number, ...]:
    ratio = speed_up(trace, vanilla)
    speed = Number(
        "Decode speed",
        f"{quantity(totals.decode_tokens_per_second, 1)} tokens/s",
        "Tokens after the prefill's, over the time of all decode steps.",
    )
    if trace is vanilla:
        return (speed,)
    gain = Number(
        "Speed-up",
        "no vanilla lane" if ratio is None else f"{ratio:.2f}×",
        "Decode speed over that of the vanilla lane, measured on the same machine and prompt.",
    )
    return speed, gain


def _drafting(totals: Summary) -> tuple[Number, ...]:
    return (
        Number(
            "Mean accepted length τ",
            quantity(totals.mean_accepted_length),
            "Tokens committed per target pass, the bonus included; the prefill and a last step "
            "that was cut short are left out. A useless draft gives 1.00.",
        ),
        Number(
            "Acceptance rate",
            _ratio(totals.acceptance_rate),
            "Tree levels accepted over levels tested. A level is tested when its parent was "
            "accepted and it has a node; siblings do not depress it.",
        ),
        Number(
            "First-choice acceptance",
            _ratio(totals.first_choice_acceptance),
            "Levels where the draft's likeliest child was the target's token, over levels tested.",
        ),
    )


def _work(trace: Trace, totals: Summary) -> tuple[Number, ...]:
    rows = Number(
        "Rows verified",
        f"{totals.rows_verified:,}, {totals.rows_discarded:,} discarded",
        "Rows of all decode passes, padding included; discarded: neither root nor accepted.",
    )
    by = totals.accepted_by_source
    sources = Number(
        "Tokens by source",
        ", ".join(f"{by[name]} {mark.short}" for name, mark in DRAWN.items() if name in by),
        "Output tokens by what proposed them; bonus: the target's own.",
    )
    passes = Number(
        "Target passes",
        f"{totals.target_passes:,} for {totals.new_tokens:,} tokens",
        "Decode passes, the prefill left out; the prefill gives the first token.",
    )
    return (passes,) if trace.config.method == "vanilla" else (passes, rows, sources)


def _ratio(ratio: Ratio) -> str:
    return f"{percent(ratio.value)} ({ratio.hits}/{ratio.tested})"


def identity(trace: Trace, vanilla: Trace | None) -> str:
    """Whether the lane emitted vanilla's tokens, and where it first did not."""
    if trace is vanilla:
        return "The baseline: one target pass per token."
    if vanilla is None:
        return "No vanilla lane to compare with."
    difference = first_difference(vanilla, trace)
    if difference is None:
        return "Identical to vanilla, token by token."
    if min(len(trace.output_ids), len(vanilla.output_ids)) == difference.position:
        return f"Identical to vanilla as far as the shorter goes, {difference.position} tokens."
    margin = f"the target's margin there was {difference.margin:.3g}"
    return f"Differs from vanilla first at token {difference.position + 1}; {margin}."


ENDINGS = {
    "eos": "ended by itself",
    "stop": "ended at a stop string",
    "length": "ended at the length limit",
    "context": "ended where the context was full",
    "cancelled": "stopped by you",
}


def about(trace: Trace) -> str:
    """What a run's times depend on, in one line."""
    made, config = trace.environment, trace.config
    sampling = "greedy" if config.temperature == 0 else f"temperature {config.temperature:g}"
    parts = (
        f"{trace.target} with {trace.draft}" if trace.draft else trace.target,
        f"{made.device}, {made.dtype}, {made.threads} threads",
        made.processor,
        f"{sampling}, seed {config.seed}",
        f"numerics: {made.numerics}",
        f"Python {made.python}, torch {made.torch}, transformers {made.transformers}",
    )
    return " · ".join(part for part in parts if part)
