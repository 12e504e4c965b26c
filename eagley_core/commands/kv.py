"""`kv`: rows that are not the target's own, in whole runs held against a clean pass. Untimed."""

import argparse
import json
from pathlib import Path

from eagley_core.commands.rules import tell
from eagley_core.commands.settings import add_model_arguments, check_folder, lab_of
from eagley_core.prompt_file import read_prompts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prompts", type=Path, required=True, help="JSON lines")
    parser.add_argument("--limit", type=int, help="this many prompts, spread over categories")
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--out", type=Path, help="write the result to this file too")
    parser.add_argument("--frozen", type=Path, metavar="FILE", help="decide by this file's costs")
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    check_folder(args.out)
    lines = [line.first() for line in read_prompts(args.prompts, args.limit)]
    from eagley_core.kv_study import kv_study

    result = kv_study(lab_of(args), lines, args.max_new_tokens, tell)
    if args.out:
        args.out.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


COLUMNS = ("setting", "accepted length", "acceptance", "identical", "mismatches", "divergence")


def words(result: dict) -> str:
    """A Markdown table."""
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    rows += [[name, *_told(figures)] for name, figures in result["settings"].items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _told(figures: dict) -> list[str]:
    length, acceptance = figures["mean_accepted_length"], figures["acceptance"]
    identical = f"{figures['identical']}/{figures['prompts']}"
    others = (figures["mismatch_rate"], figures["kl"])
    return [_interval(length), _interval(acceptance), identical, *map(_interval, others)]


def _interval(found: dict) -> str:
    if found["value"] is None:
        return ""
    return "{value:.4f} ({low:.4f} to {high:.4f})".format(**found)
