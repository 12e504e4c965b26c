"""`convert`: an EAGLE head in the layout of another program."""

import argparse
from pathlib import Path

from eagley_core.commands.settings import lines, report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("head", metavar="HEAD", help="hub id or folder of an EAGLE head")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the converted head")
    parser.add_argument(
        "--format",
        required=True,
        choices=("official", "speculators", "specforge"),
        help="for the code of the EAGLE papers, for vLLM, or for SGLang",
    )
    parser.add_argument("--target", help="hub id or folder (default: the embedded model)")


def run(args: argparse.Namespace) -> dict:
    if args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        raise ValueError(f"cannot write {args.out}: it exists and is no empty folder")
    from eagley_core.head_file import read_head
    from eagley_core.heads.export import write_head
    from eagley_core.load import ModelChoice, load_target

    target, _ = load_target(ModelChoice(args.target, "bfloat16", "cpu"), report)
    write_head(read_head(args.head, target), args.out, args.format, target)
    return {"head": str(args.out)}


def words(result: dict) -> str:
    return lines(list(result.items()))
