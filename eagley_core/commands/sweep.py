"""`bench --sweep`: the same bench at every place of a grid of settings, here or on Ray."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from eagley_core.commands.journal import journal_of
from eagley_core.commands.scale import finished
from eagley_core.commands.settings import lines as aligned
from eagley_core.config import DecodeConfig
from eagley_core.prompt_file import PromptLine
from eagley_core.sweep import VANILLA, parts_of, read_sweep, told

ALONE = (
    "rules",
    "controls",
    "peers",
    "suite",
    "warm",
    "traces",
    "save_frozen",
)  # do not go with a sweep


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sweep",
        type=Path,
        metavar="FILE.toml",
        help="run at every place of a grid: lists under [vary] of tree.total, tree.depth, "
        "tree.top_k, rule, reuse, temperature, coupled",
    )


def check_sweep(args: argparse.Namespace) -> None:
    """Refuse what has no meaning on a grid, before any work is done."""
    if args.sweep is None:
        return
    for name in ALONE:
        if getattr(args, name):
            raise ValueError(f"--{name.replace('_', '-')} does not go with --sweep")


def run_sweep(
    args: argparse.Namespace, bases: Mapping[str, DecodeConfig], lines: Sequence[PromptLine]
) -> tuple[dict, object]:
    """The result and its journal. bases: the settings of every method where nothing varies."""
    from eagley_core.bench import items_of
    from eagley_core.sweep_result import sweep_result
    from eagley_core.worker import Task

    sweep = read_sweep(args.sweep)
    if not set(bases) - {VANILLA}:
        raise ValueError("a sweep varies eagle or eagley: name one of them in --methods")
    parts = parts_of(sweep, bases)
    items = items_of(lines, args.repeats)
    tasks = {
        part.name: [Task(item._replace(part=part.name), part.lanes) for item in items]
        for part in parts
    }
    journal = journal_of(args, (parts, args.repeats), lines)
    finished(args, [task for own in tasks.values() for task in own], journal)
    rows = {
        name: [row for task in own for row in journal.rows(task.item.key)]
        for name, own in tasks.items()
    }
    return sweep_result(sweep, parts, rows), journal


def sweep_words(result: dict) -> str:
    """A line per place and method."""
    pairs = []
    for point in result["points"]:
        for name, figures in point["methods"].items():
            if name in ("eagle", "eagley"):
                gain = point["speedup"].get(f"{name}_vs_vanilla")
                pairs.append((f"{name} at {told(point['at'])}", _figures(figures, gain)))
    return aligned(pairs)


def _figures(figures: dict, gain: dict | None) -> str:
    length = figures["mean_accepted_length"]
    words = "no whole step" if length is None else f"mean accepted length {length:.2f}"
    if gain is None or gain["median"] is None:
        return words
    return words + ", over vanilla {median:.3f} ({low:.3f} to {high:.3f})".format(**gain)
