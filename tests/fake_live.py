"""An engine that replays sample traces with small sleeps, for tests of the page."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from sample_traces import WORDS, sample_trace

from eagley_core.config import DecodeConfig
from eagley_core.progress import Loading, Progress
from eagley_core.trace import Trace


class FakeLive:
    """`reason`: why live runs are off. `pause`: seconds per step."""

    def __init__(self, reason: str | None = None, pause: float = 0.02) -> None:
        self.reason = reason
        self.pause = pause

    def state(self) -> str | None:
        return self.reason

    def progress(self) -> Loading | None:
        return None

    def stream(
        self, prompt: str, config: DecodeConfig, cancelled: Callable[[], bool]
    ) -> Iterator[Progress | Trace]:
        if not prompt.strip():
            raise ValueError("the prompt is empty")
        trace = self.replayed(prompt, config)
        done, steps = 0, 0
        while steps < len(trace.steps) and not (steps and cancelled()):
            time.sleep(self.pause)
            step = trace.steps[steps]
            pairs = zip(trace.pieces, trace.emitted, strict=True)
            tokens = [(piece, e.source) for piece, e in pairs if e.step == step.index]
            done, steps = done + step.emitted, steps + 1
            yield Progress(tuple(tokens), done, step.started + step.seconds)
        yield trace if steps == len(trace.steps) else _cut(trace, steps, done)

    def replayed(self, prompt: str, config: DecodeConfig) -> Trace:
        """The run that is replayed: the sample text, as far as the settings let it go."""
        made = sample_trace(config.method, WORDS[: config.max_new_tokens])
        return replace(made, prompt=prompt, name=prompt, config=config)


def _cut(trace: Trace, steps: int, done: int) -> Trace:
    return replace(
        trace,
        steps=trace.steps[:steps],
        output_ids=trace.output_ids[:done],
        pieces=trace.pieces[:done],
        finish_reason="cancelled",
    )
