"""Whoever runs items of a bench, one after the other."""

import os
import socket
from collections.abc import Callable, Mapping
from typing import NamedTuple

from eagley_core.bench import Item, every_lane, run_item, warm_up
from eagley_core.config import DecodeConfig
from eagley_core.journal import Row
from eagley_core.lab import Lab


class Task(NamedTuple):
    """An item and the lanes that run it, one after the other, on one worker."""

    item: Item
    lanes: Mapping[str, DecodeConfig]


class Worker:
    """An engine and what it has been warmed up for: here, or in an actor of a Ray cluster."""

    def __init__(self, open_lab: Callable[[], Lab]) -> None:
        self._open_lab, self._warm = open_lab, set()

    def open(self) -> None:
        """Load the engine. Raises ValueError as it does."""
        self._lab = self._open_lab()

    def run(self, task: Task) -> list[Row]:
        """The item's rows, each with the worker's name."""
        item, lab = task.item, self._lab
        lanes = every_lane(lab, task.lanes)
        if item.part not in self._warm:
            warm_up(lab, lanes, item.line)
            self._warm.add(item.part)
        chats = {name: lab.engine.conversation() for name in lanes}
        rows = run_item(lab, item, lanes, chats, lambda turn: None)
        return [row | {"worker": f"{socket.gethostname()}/{os.getpid()}"} for row in rows]
