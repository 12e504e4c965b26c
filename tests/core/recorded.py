"""Recorded runs of a tiny engine."""

from collections.abc import Sequence

from eagley_core.config import DecodeConfig
from eagley_core.environment import environment
from eagley_core.recorder import Recorder, RunInfo
from eagley_core.steps import StepFacts
from eagley_core.trace import Trace
from tests.core.tiny import TinyEngine, decode, steps

PROMPT = (5, 9, 60, 33, 2, 17, 41, 5, 9)


def recorded(engine: TinyEngine, config: DecodeConfig) -> tuple[Trace, list[StepFacts]]:
    """A run's trace, and the steps that it was made from."""
    facts = steps(engine, PROMPT, config)
    return as_trace(engine, config, facts), facts


def as_trace(engine: TinyEngine, config: DecodeConfig, facts: Sequence[StepFacts]) -> Trace:
    info = RunInfo(
        name="tiny",
        category="test",
        prompt=decode(PROMPT),
        prompt_ids=PROMPT,
        config=config,
        draft="tiny head",
        environment=environment(engine, engine.is_invariant(config)),
    )
    return Recorder(engine.target, decode, info).trace(facts)
