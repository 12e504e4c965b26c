"""Going on where a bench was stopped: its journal lies beside the result."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eagley_core.commands.settings import opening_of
from eagley_core.prompt_file import PromptLine


def add_journal_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--resume", action="store_true", help="go on from the items that are finished (with --out)"
    )


def check_journal(args: argparse.Namespace) -> None:
    """Refuse what cannot go on."""
    if args.resume and args.out is None:
        raise ValueError("--resume needs --out: the journal of finished items lies beside it")
    if args.resume and args.warm:
        raise ValueError("--resume does not go with --warm: what a store has learnt is not kept")


def journal_of(args: argparse.Namespace, plan, lines: Sequence[PromptLine]):
    """The journal beside `--out`, or one in memory. plan: a `bench.Plan`."""
    from eagley_core.journal import Journal, digest

    if args.out is None or args.warm:
        return Journal()
    name = digest(plan, lines, opening_of(args))
    return Journal(journal_file(args.out), name, args.resume)


def journal_file(out: Path) -> Path:
    return out.with_name(out.name + ".journal.jsonl")
