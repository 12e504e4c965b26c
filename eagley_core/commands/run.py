"""`run`: one generation, recorded unless --no-record."""

import argparse
from pathlib import Path
from typing import get_args

from eagley_core.commands.settings import (
    add_decode_arguments,
    add_model_arguments,
    check_folder,
    config_of,
    lab_of,
    lines,
)
from eagley_core.config import Method
from eagley_core.results import run_fields
from eagley_core.trace_file import save_traces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--raw", action="store_true", help="no chat template")
    parser.add_argument("--method", choices=get_args(Method), default="eagley")
    parser.add_argument("--trace", type=Path, help="write the recorded run to this file")
    parser.add_argument(
        "--no-record", action="store_true", help="decode only: figures of the target are left out"
    )
    add_decode_arguments(parser)
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    config = config_of(args, args.method)
    if args.no_record and args.trace:
        raise ValueError("--trace needs the recording that --no-record leaves out")
    check_folder(args.trace)
    lab = lab_of(args)
    from eagley_core.lab import Prompt

    prompt = Prompt(args.prompt, raw=args.raw)
    if args.no_record:
        return _unrecorded(lab, lab.steps(prompt, config))
    trace = lab.recorded(prompt, config, list(lab.steps(prompt, config)))
    if args.trace:
        save_traces(args.trace, [trace])
    return run_fields(trace)


def _unrecorded(lab, steps) -> dict:
    """What is known of a run whose steps are not kept."""
    ids: list[int] = []
    passes, seconds, decode_seconds, decoded = 0, 0.0, 0.0, 0
    for step in steps:
        ids += step.emitted
        spent = sum(step.laps[1:])
        seconds = step.laps.started + spent
        if step.index:
            passes, decoded = passes + 1, decoded + len(step.emitted)
            decode_seconds += spent
    return {
        "text": lab.decode(ids),
        "token_ids": ids,
        "new_tokens": len(ids),
        "seconds": seconds,
        "tokens_per_second": len(ids) / seconds,
        "decode_tokens_per_second": decoded / decode_seconds if passes else None,
        "target_passes": passes,
    }


def words(result: dict) -> str:
    shown = [(k, v) for k, v in result.items() if k not in ("text", "token_ids")]
    return f"{result['text']}\n\n{lines(shown)}"
