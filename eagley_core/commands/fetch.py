"""`fetch`: get and convert the default target, verify its hash. Idempotent."""

import argparse

from eagley_core.commands.settings import lines, report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: the default model is one, pinned by hash."""


def run(args: argparse.Namespace) -> dict:
    from eagley_core import default_model

    folder = default_model.fetch(report)
    return {"target": str(folder), "draft": str(default_model.HEAD)}


def words(result: dict) -> str:
    return lines(list(result.items()))
