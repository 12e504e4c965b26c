"""The same bench on many machines: its items as work for a Ray cluster."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from eagley_core.cluster import LOCAL, Resources, connected, ray_module
from eagley_core.commands.peers import peers_of, with_peers
from eagley_core.commands.settings import opening_of, report


def add_scale_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("scale")
    group.add_argument(
        "--ray",
        nargs="?",
        const=LOCAL,
        metavar="ADDRESS",
        help="run on the Ray cluster at this address (auto: the one that is found); without one, "
        "on a cluster of this machine",
    )
    group.add_argument(
        "--ray-resources",
        type=str,
        metavar="cpus=N,gpus=N,workers=N",
        help="what every worker takes, and how many there are (default: 1 CPU, as many as fit)",
    )


def check_scale(args: argparse.Namespace) -> None:
    """Refuse what workers elsewhere cannot do, before any work is done."""
    if args.ray is None:
        if args.ray_resources:
            raise ValueError(f"--ray-resources {args.ray_resources} needs --ray")
        return
    for name in ("warm", "traces", "save_frozen"):
        if getattr(args, name):
            raise ValueError(f"--{name.replace('_', '-')} does not go with --ray")
    _resources(args)
    ray_module()


def _resources(args: argparse.Namespace) -> Resources:
    return Resources.parse(args.ray_resources) if args.ray_resources else Resources()


def finished(args: argparse.Namespace, tasks: Sequence, journal) -> list[dict]:
    """The rows of every task of `worker`; those that the journal lacks are run, on Ray where that
    is asked for."""
    left = [task for task in tasks if task.item.key not in journal]
    told = Told(len(left))
    for item, rows in (_on_ray if args.ray else _here)(args, left) if left else ():
        journal.add(item.key, rows)
        told(f"{item.key} {rows[0]['question_id']} on {rows[0]['worker']}")
    return [row for task in tasks for row in journal.rows(task.item.key)]


def _here(args: argparse.Namespace, tasks: Sequence) -> Iterator[tuple]:
    from eagley_core.worker import Worker

    worker = Worker(partial(opening_of(args).lab, report))
    worker.open()
    for task in tasks:
        yield task.item, worker.run(task)


def _on_ray(args: argparse.Namespace, tasks: Sequence) -> Iterator[tuple]:
    from eagley_core.crew import Crew

    resources, opening = _resources(args), opening_of(args)
    if opening.threads is None:
        opening = replace(opening, threads=max(1, int(resources.cpus)))
    with connected(args.ray, resources) as ray:
        crew = Crew(ray, resources, partial(_opened, opening, args, tasks[0].lanes), say)
        yield from crew.results(tasks)


def _opened(opening, args: argparse.Namespace, lanes: dict):
    """A worker's engine, and beside it what other programs' lanes need."""
    return with_peers(opening.lab(), args, peers_of(lanes))


class Told:
    """Progress by item on stderr, with the time that is left at the pace so far."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._started = total, 0, time.monotonic()

    def __call__(self, what: str) -> None:
        self._done += 1
        pace = (time.monotonic() - self._started) / self._done
        left = pace * (self._total - self._done)
        say(f"{self._done}/{self._total} {what}, {left:.0f} s left")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201
