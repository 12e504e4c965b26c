"""How many times as fast as vanilla a lane was, and when that is not said."""

from components.words import ENGLISH, Words
from eagley_core.metrics import summary
from eagley_core.statistics import Interval, Paces, quotient_interval
from eagley_core.trace import Trace


def speed_up(trace: Trace, vanilla: Trace | None) -> float | None:
    """Decode speed over that of the vanilla lane, measured in the same comparison.

    None where one of the two was not measured, or on a device that was lent.
    """
    if vanilla is None or trace.environment.lent or vanilla.environment.lent:
        return None
    base = summary(vanilla).decode_tokens_per_second
    own = summary(trace).decode_tokens_per_second
    return own / base if own and base else None


def speed_up_interval(trace: Trace, vanilla: Trace | None) -> Interval:
    """The speed-up, and what the scatter of single steps' times and tokens does to it."""
    if speed_up(trace, vanilla) is None:
        return Interval(None, None, None)
    return quotient_interval(_paces(trace), _paces(vanilla))


def _paces(trace: Trace) -> Paces:
    steps = trace.decode_steps
    return Paces([step.emitted for step in steps], [step.seconds for step in steps])


def no_gain(trace: Trace, vanilla: Trace | None, say: Words = ENGLISH) -> tuple[str, str]:
    """What stands in a speed-up's place, and why."""
    if vanilla is not None and (trace.environment.lent or vanilla.environment.lent):
        return say("not compared"), say(
            "Decode speed ÷ that of the vanilla lane. Each lane waited for a shared GPU and began "
            "cold on it, so that their times do not compare."
        )
    reason = say("Decode speed ÷ that of the vanilla lane, which was not run.")
    return say("no vanilla lane"), reason
