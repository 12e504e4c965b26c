"""What a live run needs of the engine, and how the page listens to it."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Protocol

from eagley_core.config import DecodeConfig
from eagley_core.progress import Loading, Progress
from eagley_core.trace import Trace


class Live(Protocol):
    """The engine as the page sees it. One run at a time: others wait inside `stream`."""

    def state(self) -> str | None:
        """None when runs are possible (loaded, or loaded by the first run); else why not."""

    def progress(self) -> Loading | None:
        """What is being loaded now; None when nothing is."""

    def stream(
        self, prompt: str, config: DecodeConfig, cancelled: Callable[[], bool]
    ) -> Iterator[Progress | Trace]:
        """Progress after each step, then the finished or cancelled Trace.

        Raises ValueError with one clear line on bad input.
        """


class Switches:
    """A stop switch per visitor, kept by session."""

    def __init__(self) -> None:
        self._switches: dict[str, threading.Event] = {}

    def fresh(self, session: str) -> threading.Event:
        """A new run's switch; an older run of the same visitor is stopped."""
        self.stop(session)
        return self._switches.setdefault(session, threading.Event())

    def stop(self, session: str) -> None:
        """Stop the visitor's run, if there is one."""
        switch = self._switches.pop(session, None)
        if switch:
            switch.set()


Heard = tuple[Progress | Trace, ...]


def listen(stream: Iterator[Progress | Trace], patience: float = 0.2) -> Iterator[Heard]:
    """What the stream said since the last look, or nothing when it was silent for `patience`.

    The stream runs in a thread of its own, so that a slow browser never slows the engine down and
    a silent engine never silences the page.
    """
    said: queue.SimpleQueue = queue.SimpleQueue()
    visitor = copy_context()  # the request: ZeroGPU asks whose quota it is
    threading.Thread(target=visitor.run, args=(_speak, stream, said), daemon=True).start()
    while True:
        batch = _drained(said, patience)
        ended = bool(batch) and (batch[-1] is None or isinstance(batch[-1], Exception))
        yield tuple(item for item in batch if isinstance(item, Progress | Trace))
        if ended:
            break
    if isinstance(batch[-1], Exception):
        raise batch[-1]


def _speak(stream: Iterator[Progress | Trace], said: queue.SimpleQueue) -> None:
    try:
        for item in stream:
            said.put(item)
    except Exception as error:  # noqa: BLE001  (raised again in the listener's thread)
        said.put(error)
    else:
        said.put(None)


def _drained(said: queue.SimpleQueue, patience: float) -> list:
    batch = []
    try:
        batch.append(said.get(timeout=patience))
        while True:
            batch.append(said.get_nowait())
    except queue.Empty:
        return batch
