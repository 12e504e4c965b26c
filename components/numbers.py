"""A lane's numbers, each with its formula and what it stands for."""

from typing import NamedTuple

from components.labels import percent, quantity, size
from components.marks import DRAWN
from components.speed_up import no_gain, speed_up, speed_up_interval
from components.words import ENGLISH, Words
from eagley_core.memory import memory
from eagley_core.metrics import Ratio, Summary, drafted_acceptance, summary, whole_steps
from eagley_core.statistics import REDRAWS
from eagley_core.trace import Trace


class Number(NamedTuple):
    label: str
    value: str
    definition: str  # begins with the formula, this run's counts in it


def headline(trace: Trace, vanilla: Trace | None, say: Words = ENGLISH) -> str:
    """What one reads first: speed, and against the measured baseline."""
    speed = quantity(summary(trace).decode_tokens_per_second, 1)
    if trace.environment.lent:
        return say("{speed} tokens/s on a shared GPU, not comparable", speed=speed)
    ratio = speed_up(trace, vanilla)
    if ratio is None or trace is vanilla:
        return say("{speed} tokens/s", speed=speed)
    return say("{speed} tokens/s, {ratio}× vanilla", speed=speed, ratio=f"{ratio:.2f}")


def numbers(trace: Trace, vanilla: Trace | None, say: Words = ENGLISH) -> tuple[Number, ...]:
    """What a lane shows under its text."""
    totals = summary(trace)
    drafts = trace.config.method != "vanilla"
    return (
        _speed(trace, totals, say),
        *(() if trace is vanilla else (_gain(trace, vanilla, say),)),
        *(_drafting(trace, totals, say) if drafts else ()),
        *_work(trace, totals, say),
        _memory(trace, say),
    )


def _speed(trace: Trace, totals: Summary, say: Words) -> Number:
    return Number(
        say("Decode speed"),
        say("{speed} tokens/s", speed=quantity(totals.decode_tokens_per_second, 1)),
        say(
            "Tokens after the prefill's ÷ time of all decode steps = {tokens} ÷ {seconds} s.",
            tokens=sum(step.emitted for step in trace.decode_steps),
            seconds=quantity(sum(step.seconds for step in trace.decode_steps), 3),
        ),
    )


def _gain(trace: Trace, vanilla: Trace | None, say: Words) -> Number:
    found = speed_up_interval(trace, vanilla)
    label = say("Speed-up")
    if found.median is None:
        return Number(label, *no_gain(trace, vanilla, say))
    ratio, low, high = (f"{number:.2f}" for number in found)
    return Number(
        label,
        say("{ratio}× ({low} to {high})", ratio=ratio, low=low, high=high),
        say(
            "Decode speed ÷ that of the vanilla lane = {own} ÷ {base}, measured on the same "
            "machine and prompt. In brackets: 95 % of what comes out when the steps of both runs "
            "are drawn again at random, {times} times. It shows how much single steps scatter, "
            "not what another run or another prompt would give.",
            own=quantity(summary(trace).decode_tokens_per_second, 1),
            base=quantity(summary(vanilla).decode_tokens_per_second, 1),
            times=f"{REDRAWS:,}",
        ),
    )


def _drafting(trace: Trace, totals: Summary, say: Words) -> tuple[Number, ...]:
    nodes, first = drafted_acceptance(trace), totals.first_choice_acceptance
    tested = totals.node_acceptance
    return (
        _accepted_length(trace, totals, say),
        Number(
            say("Acceptance rate"),
            _ratio(totals.acceptance_rate),
            say(
                "Tree levels accepted ÷ levels tested = {hits} ÷ {tested}. A level is tested when "
                "its parent was accepted and it has a node; siblings do not depress it.",
                **totals.acceptance_rate._asdict(),
            ),
        ),
        Number(
            say("Node acceptance"),
            _ratio(nodes),
            say(
                "Nodes accepted ÷ nodes drafted = {hits} ÷ {drafted}; ÷ nodes tested = {hits} ÷ "
                "{tested}. At most one of siblings is accepted, so a wide tree has a low share.",
                hits=nodes.hits,
                drafted=nodes.tested,
                tested=tested.tested,
            ),
        ),
        Number(
            say("First-choice acceptance"),
            _ratio(first),
            say(
                "Levels where the draft's likeliest child was the target's token ÷ levels tested "
                "that it drafted = {hits} ÷ {tested}.",
                **first._asdict(),
            ),
        ),
    )


def _accepted_length(trace: Trace, totals: Summary, say: Words) -> Number:
    steps = whole_steps(trace)
    drafted = sum(len(step.accepted) for step in steps)
    length = totals.mean_accepted_length
    without = None if length is None else length - 1
    return Number(
        say("Mean accepted length τ"),
        say(
            "{length} ({without} without the bonus)",
            length=quantity(length),
            without=quantity(without),
        ),
        say(
            "Tokens committed ÷ target passes = {tokens} ÷ {passes}; without the bonus {drafted} ÷ "
            "{passes}. The prefill and a last step that was cut short are left out. A useless "
            "draft gives 1.00.",
            tokens=drafted + len(steps),
            drafted=drafted,
            passes=len(steps),
        ),
    )


def _work(trace: Trace, totals: Summary, say: Words) -> tuple[Number, ...]:
    passes = Number(
        say("Target passes"),
        say(
            "{passes} for {tokens} tokens",
            passes=f"{totals.target_passes:,}",
            tokens=f"{totals.new_tokens:,}",
        ),
        say("Decode passes, the prefill left out; the prefill gives the first token."),
    )
    if trace.config.method == "vanilla":
        return (passes,)
    rows = Number(
        say("Rows verified"),
        say(
            "{rows}, {discarded} discarded",
            rows=f"{totals.rows_verified:,}",
            discarded=f"{totals.rows_discarded:,}",
        ),
        say("Roots and nodes of all decode passes; discarded: neither root nor accepted."),
    )
    return passes, rows, _sources(totals, say)


def _sources(totals: Summary, say: Words) -> Number:
    by = totals.accepted_by_source
    found = [
        say("{count} {source}", count=by[name], source=say(mark.short))
        for name, mark in DRAWN.items()
        if name in by
    ]
    definition = say("Output tokens by what proposed them; bonus: the target's own.")
    return Number(say("Tokens by source"), say(", ").join(found), definition)


def _memory(trace: Trace, say: Words) -> Number:
    kept = memory(trace)
    figures = {
        "store": size(kept.store_bytes),
        "cache": "–" if kept.cache_bytes is None else size(kept.cache_bytes),
        "row": "–" if kept.row_bytes is None else size(kept.row_bytes),
        "rows": f"{kept.rows:,}",
    }
    if kept.row_bytes is None:
        value = say("store {store}; cache {rows} rows", **figures)
    else:
        value = say("store {store}; cache {cache}", **figures)
    return Number(
        say("Memory at most"),
        value,
        say(
            "Store: what EAGLEY keeps from verified rows, after the step where it was largest. "
            "Cache: keys and values of the target's rows, those of the largest tree included, "
            "{rows} × {row} = {cache}.",
            **figures,
        ),
    )


def _ratio(ratio: Ratio) -> str:
    return f"{percent(ratio.value)} ({ratio.hits}/{ratio.tested})"
