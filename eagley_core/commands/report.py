"""`report`: results of bench side by side, as one HTML file."""

import argparse
from pathlib import Path

from eagley_core.commands.settings import check_folder, lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", type=Path, nargs="+", metavar="RESULT", help="files that bench wrote"
    )
    parser.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE")


def run(args: argparse.Namespace) -> dict:
    check_folder(args.out)
    from components.report.page import page
    from components.report.result import read_all

    args.out.write_text(page(read_all(args.results)), encoding="utf-8")
    return {"file": str(args.out), "results": len(args.results)}


def words(result: dict) -> str:
    return lines(list(result.items()))
