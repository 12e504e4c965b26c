"""Work of a bench on a Ray cluster, by actors that keep their engines."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from eagley_core.bench import Item
from eagley_core.cluster import Resources
from eagley_core.journal import Row
from eagley_core.lab import Lab
from eagley_core.worker import Task, Worker

TRIES = 3  # of one item, or of opening an engine, before its workers' deaths end the work


class Crew:
    """Workers with one queue. One that is lost is replaced, and its item done by the next free."""

    def __init__(
        self,
        ray: ModuleType,
        resources: Resources,
        open_lab: Callable[[], Lab],
        tell: Callable[[str], None],
    ) -> None:
        """ray: connected. tell: hears of lost workers."""
        self._ray, self._open_lab, self._tell = ray, open_lab, tell
        self._actor = ray.remote(num_cpus=resources.cpus, num_gpus=resources.gpus)(Worker)
        self._n_workers = resources.fitting(ray.cluster_resources())
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Task | None]] = {}  # by reference; no task: it is opening
        self._losses: Counter[str] = Counter()

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Item, list[Row]]]:
        """Every task's item with its rows, once each, as they finish; then the workers end."""
        self._queue = deque(tasks)
        for _ in range(min(self._n_workers, len(tasks))):
            self._hire()
        try:
            yield from self._results()
        finally:
            for worker in (*self._idle, *(worker for worker, _ in self._busy.values())):
                self._ray.kill(worker)

    def _results(self) -> Iterator[tuple[Item, list[Row]]]:
        while self._queue or any(task for _, task in self._busy.values()):
            self._hand_out()
            finished, _ = self._ray.wait([*self._busy])
            worker, task = self._busy.pop(finished[0])
            rows = self._outcome(finished[0], worker, task)
            if task and rows is not None:
                yield task.item, rows

    def _hire(self) -> None:
        worker = self._actor.remote(self._open_lab)
        self._busy[worker.open.remote()] = (worker, None)

    def _hand_out(self) -> None:
        while self._queue and self._idle:
            worker, task = self._idle.pop(), self._queue.popleft()
            self._busy[worker.run.remote(task)] = (worker, task)

    def _outcome(self, reference: Any, worker: Any, task: Task | None) -> list[Row] | None:
        """What a worker gave; None where it is lost. Raises what its engine raised."""
        errors = self._ray.exceptions
        try:
            rows = self._ray.get(reference)
        except errors.RayActorError as error:
            self._replace(worker, task, error)
            return None
        except errors.RayTaskError as error:
            raise error.cause from None
        self._losses.pop(_name(task), None)
        self._idle.append(worker)
        return rows

    def _replace(self, worker: Any, task: Task | None, error: Exception) -> None:
        self._losses[_name(task)] += 1
        if self._losses[_name(task)] == TRIES:
            raise ValueError(f"{_name(task)}: {TRIES} workers were lost over it: {error}")
        self._tell(f"a worker was lost over {_name(task)}, which is run again")
        if task:
            self._queue.appendleft(task)
        self._ray.kill(worker)  # it may be out of reach only: no item is run by two
        self._hire()


def _name(task: Task | None) -> str:
    return f"item {task.item.key}" if task else "opening the engine"
