"""`theory`: the seed's speed-up formulas against bench results of several tree sizes."""

import argparse
import json
from pathlib import Path

from eagley_core.commands.settings import lines
from eagley_core.seed_fit import fit, measured


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results",
        type=Path,
        nargs="+",
        metavar="RESULT",
        help="files that bench wrote, with vanilla, eagle and eagley at different --tree sizes",
    )


def run(args: argparse.Namespace) -> dict:
    return fit([found for path in args.results for found in _read(path)])


def _read(path: Path) -> list:
    try:
        return measured(json.loads(path.read_text(encoding="utf-8")))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a result of bench: {error!r}") from error


def words(result: dict) -> str:
    told = [
        (f"beta, numerator {_NUMERATORS[name]}", _interval(found))
        for name, found in result["beta"].items()
    ]
    told += [
        (f"mean error of {lane}, {_NUMERATORS[name]}", _number(error))
        for name, errors in result["error"].items()
        for lane, error in errors.items()
    ]
    return lines(told) + "\n\n" + "\n".join(map(_tree, result["by_tree"]))


_NUMERATORS = {"drafted": "alpha k", "with_bonus": "alpha k + 1"}


def _interval(found: dict) -> str:
    return (
        "unknown"
        if found["median"] is None
        else "{median:.3f} ({low:.3f} to {high:.3f})".format(**found)
    )


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _tree(row: dict) -> str:
    seed, got = row["seed"], row["measured"]
    return (
        f"tree {row['tree']}: measured EAGLE {got['eagle']:.2f}, EAGLEY {got['eagley']:.2f}; "
        f"seed {seed['drafted']:.2f} (alpha k), {seed['with_bonus']:.2f} (alpha k + 1); "
        f"Leviathan {row['leviathan']:.2f}, Sequoia {row['sequoia']:.2f}"
    )
