"""Live runs on ZeroGPU: a forked worker holds a shared GPU for the time of one lane.

Off ZeroGPU nothing of this happens. https://huggingface.co/docs/hub/spaces-zerogpu
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from components.live import Live
from eagley_core.config import DecodeConfig
from eagley_core.progress import Loading, Progress
from eagley_core.trace import Trace

LOADING_SECONDS = 30  # asked for besides the run: a new worker loads the model
TOKENS_PER_SECOND = 8  # the slowest run that is waited for
WAITING = Loading("waiting for a shared GPU, and loading the model there", None)

ON_ZERO_GPU = os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true")

if ON_ZERO_GPU:
    import spaces  # before anything that touches CUDA


def lent(engine: Live) -> Live:
    """The engine; on ZeroGPU, one that runs it in workers."""
    return ZeroGpu(engine, spaces.GPU) if ON_ZERO_GPU else engine


class ZeroGpu:
    """A Live whose lanes run in worker processes. `gpu`: the decorator `spaces.GPU`.

    What crosses to a worker and back is pickled, and what a worker loads dies with it. A file is
    the stop switch, because both sides see it.
    """

    def __init__(self, engine: Live, gpu: Callable[..., Any]) -> None:
        self._engine = engine
        self._work = gpu(duration=seconds)(self._worked)

    def state(self) -> str | None:
        """None when runs are possible; else why not."""
        return self._engine.state()

    def progress(self) -> Loading | None:
        """A worker cannot say how far it is."""
        return self._engine.progress() or WAITING

    def stream(
        self, prompt: str, config: DecodeConfig, cancelled: Callable[[], bool]
    ) -> Iterator[Progress | Trace]:
        """Progress after each step, then the finished or cancelled Trace.

        Raises ValueError with one line on bad input, and when no GPU is to be had.
        """
        with tempfile.TemporaryDirectory() as folder:
            switch = Path(folder) / "stop"
            try:
                with closing(self._work(prompt, config, str(switch))) as heard:
                    for item in heard:
                        if cancelled():
                            switch.touch()
                        yield item
            except gr.Error as error:
                raise ValueError(str(error.message)) from error

    def _worked(self, prompt: str, config: DecodeConfig, switch: str) -> Iterator[Progress | Trace]:
        """In the worker. Only a `gr.Error` reaches the other side with its words."""
        try:
            for item in self._engine.stream(prompt, config, Path(switch).exists):
                yield marked(item) if isinstance(item, Trace) else item
        except (ValueError, RuntimeError, OSError, MemoryError) as error:
            raise gr.Error(str(error), print_exception=False) from error


def seconds(prompt: str, config: DecodeConfig, switch: str) -> int:
    """How long a lane may hold the GPU."""
    return LOADING_SECONDS + config.max_new_tokens // TOKENS_PER_SECOND


def marked(trace: Trace) -> Trace:
    """The run, on record as one on a lent device, named wherever its hardware is."""
    made = trace.environment
    return replace(trace, environment=replace(made, device=f"{made.device}, ZeroGPU", lent=True))
