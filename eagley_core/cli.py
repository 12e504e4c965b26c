"""The command line: one module per command, one JSON object on stdout with --json."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "fetch": "get and convert the default target model",
    "run": "decode one prompt",
    "bench": "run several methods over a file of prompts, interleaved",
    "ablate": "run the ladder from vanilla to all of EAGLEY, tuned and reported apart",
    "rules": "hold every acceptance rule against the same recorded steps",
    "kv": "hold runs with rows that are not the target's own against a clean pass",
    "theory": "hold the seed's formulas against measured results",
    "serving": "say what a server of many sequences would gain; a model, not a measurement",
    "calibrate": "fit how likely candidates are to be accepted, for a draft",
    "train": "train an EAGLE-3 head for a target",
    "convert": "write an EAGLE head in another program's layout",
    "report": "put results of bench side by side in one HTML file",
    "show": "tell a recorded run in words",
    "export": "write a recorded run in the form of other tools",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 on success; 2 with one line on stderr on bad usage or input."""
    args = _parser().parse_args(argv)
    from eagley_core.default_model import ModelUnavailableError

    module = import_module(f"eagley_core.commands.{args.command}")
    try:
        result = module.run(args)
    except (ValueError, OSError, ModelUnavailableError) as error:
        print(f"eagley_core {args.command}: {_line(error)}", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return 130
    text = json.dumps(result, ensure_ascii=False) if args.json else module.words(result)
    print(text)  # noqa: T201
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eagley_core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, gist in COMMANDS.items():
        command = commands.add_parser(name, help=gist, description=gist.capitalize() + ".")
        import_module(f"eagley_core.commands.{name}").add_arguments(command)
        command.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    return parser


def _line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    text = str(error).strip() or type(error).__name__
    return " ".join(text.split())
