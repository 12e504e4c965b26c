"""How a run ended, whether it gave vanilla's tokens, and what its times depend on."""

from typing import Final

from components.words import ENGLISH, Phrase, Words
from eagley_core.metrics import Difference, first_difference
from eagley_core.reuse import is_exact
from eagley_core.trace import Trace

ENDINGS: Final = {
    "eos": Phrase("{count} tokens; ended by itself."),
    "stop": Phrase("{count} tokens; ended at a stop string."),
    "length": Phrase("{count} tokens; ended at the length limit."),
    "context": Phrase("{count} tokens; ended where the context was full."),
    "cancelled": Phrase("{count} tokens; stopped by you."),
}


def ending(trace: Trace, say: Words = ENGLISH) -> str:
    """How long the output is, and why it is not longer."""
    return say(ENDINGS[trace.finish_reason], count=len(trace.output_ids))


def identity(trace: Trace, vanilla: Trace | None, say: Words = ENGLISH) -> str:
    """Whether the lane emitted vanilla's tokens, and where it first did not."""
    if trace is vanilla:
        return say("The baseline: one target pass per token.")
    if vanilla is None:
        return say("No vanilla lane to compare with.")
    difference = first_difference(trace, vanilla)
    if difference is None:
        return say("Identical to vanilla, token by token.")
    if min(len(trace.output_ids), len(vanilla.output_ids)) == difference.position:
        count = difference.position
        return say("Identical to vanilla as far as the shorter goes, {count} tokens.", count=count)
    return _differs(trace, difference, say)


def _differs(trace: Trace, difference: Difference, say: Words) -> str:
    """Only rounding may part an exact run from vanilla, and only where two tokens nearly tie."""
    told = {"token": difference.position + 1, "margin": f"{difference.margin:.3g}"}
    if difference.is_tie:
        return say(
            "Differs from vanilla first at token {token}; the target's margin there was {margin}, "
            "a numerical tie.",
            **told,
        )
    if trace.config.rule.name == "exact" and is_exact(trace.config.reuse):
        return say(
            "Differs from vanilla first at token {token}; the target's margin there was {margin}, "
            "too much for a tie: this run is not exact.",
            **told,
        )
    return say(
        "Differs from vanilla first at token {token}; the target's margin there was {margin}.",
        **told,
    )


def about(trace: Trace, say: Words = ENGLISH) -> str:
    """What a run's times depend on, in one line."""
    made = trace.environment
    parts = (
        _models(trace, say),
        hardware(trace, say),
        _sampling(trace, say),
        say("numerics: {numerics}", numerics=say(made.numerics)),
        f"Python {made.python}, torch {made.torch}, transformers {made.transformers}",
    )
    return " · ".join(part for part in parts if part)


def hardware(trace: Trace, say: Words = ENGLISH) -> str:
    """What a run's times were taken on, and whether they can be compared at all."""
    made = trace.environment
    parts = (
        say("{device}, {dtype}, {threads} threads", **_place(trace)),
        made.processor,
        say("shared GPU: times include queueing and are not comparable") if made.lent else "",
    )
    return " · ".join(part for part in parts if part)


def _models(trace: Trace, say: Words) -> str:
    if trace.draft in ("", "none"):
        return trace.target
    return say("{target} with {draft}", target=trace.target, draft=say(trace.draft))


def _place(trace: Trace) -> dict[str, object]:
    made = trace.environment
    return {"device": made.device, "dtype": made.dtype, "threads": made.threads}


def _sampling(trace: Trace, say: Words) -> str:
    seed = trace.config.seed
    if trace.config.temperature == 0:
        return say("greedy, seed {seed}", seed=seed)
    temperature = f"{trace.config.temperature:g}"
    return say("temperature {temperature}, seed {seed}", temperature=temperature, seed=seed)
