"""`rules`: every acceptance rule on the same recorded steps. Untimed."""

import argparse
import json
import sys
from pathlib import Path

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
    from eagley_core.rule_study import rule_study

    result = rule_study(lab_of(args), lines, args.max_new_tokens, tell)
    if args.out:
        args.out.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def tell(what: str) -> None:
    """One line of progress on stderr."""
    print(what, file=sys.stderr, flush=True)  # noqa: T201


COLUMNS = ("temperature", "rule", "accepted length", "acceptance", "total variation", "mismatches")


def words(result: dict) -> str:
    """A Markdown table."""
    rows = [COLUMNS, ["---"] * len(COLUMNS), *map(_row, result["rules"])]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _row(row: dict) -> list[str]:
    numbers = ("mean_accepted_length", "acceptance", "total_variation", "mismatch_rate")
    told = ["" if row[name] is None else f"{row[name]:.4f}" for name in numbers]
    return [f"{row['temperature']:g}", row["rule"], *told]
