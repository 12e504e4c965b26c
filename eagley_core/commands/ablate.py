"""`ablate`: the ladder from vanilla over EAGLE to all of EAGLEY, tuned and reported apart."""

import argparse
import json
import sys
import time
from pathlib import Path

from eagley_core.ablation_result import by_store
from eagley_core.commands.settings import (
    add_decode_arguments,
    add_model_arguments,
    check_folder,
    config_of,
    lab_of,
)
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.prompt_file import read_prompts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--prompts", type=Path, required=True, help="JSON lines; every second one is for tuning")
    add("--limit", type=int, help="this many prompts, spread over categories")
    add("--repeats", type=int, default=1)
    add("--out", type=Path, help="write the result to this file too")
    add("--cold", action="store_true", help="only with an empty store for every prompt")
    add("--warm", action="store_true", help="only with a store that goes on (default: both)")
    add("--rungs", help="some of the ladder only, by comma (default: all)")
    add("--sweep", nargs="+", metavar="TREE", help="trees that EAGLE is tuned over")
    add("--replay", action="store_true", help="grow EAGLE's own tree at every step too, untimed")
    add("--frozen", type=Path, metavar="FILE", help="decide by this file's costs and calibration")
    add_decode_arguments(parser)
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    base, default = config_of(args, "vanilla"), DecodeConfig()
    if (base.tree, base.reuse) != (default.tree, default.reuse):
        raise ValueError("an ablation varies tree and reuse: use --sweep and --rungs instead")
    check_folder(args.out)
    prompts = [line.first() for line in read_prompts(args.prompts, args.limit)]
    from eagley_core.ablation import Ladder, ablate

    ladder = Ladder(base, repeats=args.repeats, **_chosen(args))
    result = ablate(lab_of(args), prompts, ladder, _Progress)
    if args.out:
        args.out.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def _chosen(args: argparse.Namespace) -> dict:
    """What differs from the whole ladder."""
    chosen = {"replay": args.replay}
    if args.cold != args.warm:
        chosen["stores"] = ("cold",) if args.cold else ("warm",)
    if args.rungs:
        chosen["rungs"] = args.rungs.split(",")
    if args.sweep:
        chosen["sweep"] = tuple(map(TreeShape.parse, args.sweep))
    return chosen


class _Progress:
    """Tells every turn of one part of the work on stderr."""

    def __init__(self, part: str, n_turns: int) -> None:
        self._part, self._left, self._started = part, n_turns, time.monotonic()
        self._done = 0

    def __call__(self, turn) -> None:
        self._done, self._left = self._done + 1, self._left - 1
        seconds = (time.monotonic() - self._started) / self._done * self._left
        told = f"{self._part}: {turn.prompt.name}, {self._left} left, {seconds:.0f} s"
        print(told, file=sys.stderr, flush=True)  # noqa: T201


COLUMNS = ("rung", "tokens/s", "accepted length", "over vanilla", "over EAGLE", "identical")


def words(result: dict) -> str:
    """A Markdown table for every kind of store."""
    parts = [f"tree {result['tuning']['chosen']}, tuned on {len(result['tuning']['prompts'])}"]
    for store, own in by_store(result).items():
        parts.append(f"{store} store\n\n{_table(own)}")
    return "\n\n".join(parts)


def _table(result: dict) -> str:
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for name, figures in result["methods"].items():
        pairs = (result["speedup"].get(f"{name}_vs_{base}") for base in ("vanilla", "eagle"))
        rows.append(
            [
                name,
                _number(figures["decode_tokens_per_second"], 1),
                _number(figures["mean_accepted_length"], 2),
                *map(_interval, pairs),
                f"{figures['identical_to_vanilla']}/{figures['runs']}",
            ]
        )
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _interval(found: dict | None) -> str:
    if found is None or found["median"] is None:
        return ""
    return "{median:.2f} ({low:.2f} to {high:.2f})".format(**found)
