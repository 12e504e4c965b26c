"""Doing what `bench` has planned: here, turn by turn, or by workers."""

import argparse
import re
import sys
import time

from eagley_core.commands.peers import peers_of, with_peers
from eagley_core.commands.scale import finished
from eagley_core.commands.settings import keep_frozen, lab_of
from eagley_core.config import DecodeConfig
from eagley_core.trace_file import save_traces


def on_ray(args: argparse.Namespace, plan, prompts, journal) -> dict:
    """The result of a plan whose items are spread over a cluster."""
    from eagley_core.bench import items_of
    from eagley_core.bench_result import result_of
    from eagley_core.worker import Task

    tasks = [Task(item, plan.lanes) for item in items_of(prompts, plan.repeats)]
    return result_of(finished(args, tasks, journal))


def in_this_process(args: argparse.Namespace, plan, prompts, journal) -> dict:
    """The result of a plan, and of every turn what else was asked for: its traces, its costs."""
    from eagley_core.bench import bench, items_of
    from eagley_core.bench_result import PLAIN

    lanes = {name: lane for name, lane in plan.lanes.items() if isinstance(lane, DecodeConfig)}
    lab = with_peers(lab_of(args), args, peers_of(plan.lanes))
    started, done = time.monotonic(), []
    items = items_of(prompts, args.repeats)
    total = sum(len(item.line.turns) for item in items if item.key not in journal)
    if args.traces:
        args.traces.mkdir(parents=True, exist_ok=True)

    def tell(turn) -> None:
        done.append(turn.prompt.name)
        left = (time.monotonic() - started) / len(done) * (total - len(done))
        print(f"{len(done)}/{total} {done[-1]}, {left:.0f} s left", file=sys.stderr)  # noqa: T201
        if args.traces:
            kept = [trace for name, trace in turn.traces.items() if name != PLAIN]
            save_traces(args.traces / _file_name(turn.prompt), kept)
        name, config = list(lanes.items())[-1]
        keep_frozen(args, lab, config, turn.chats[name])

    return bench(lab, prompts, plan, tell, journal)


def _file_name(prompt) -> str:
    """By question, and from the second turn on by turn."""
    later = f"-{len(prompt.history) // 2 + 1}" if prompt.history else ""
    return re.sub(r"[^\w.-]", "_", prompt.name) + later + ".json.gz"
