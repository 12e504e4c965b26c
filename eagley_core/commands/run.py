"""`run`: one generation, recorded unless --no-record."""

import argparse
from pathlib import Path
from typing import get_args

from eagley_core.commands.settings import (
    add_decode_arguments,
    add_frozen_arguments,
    add_model_arguments,
    check_folder,
    config_of,
    keep_frozen,
    lab_of,
    lines,
)
from eagley_core.config import Method
from eagley_core.results import run_fields
from eagley_core.trace_file import save_traces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prompt", required=True, action="append", help="repeat it for more turns of one chat"
    )
    parser.add_argument("--raw", action="store_true", help="no chat template")
    parser.add_argument("--method", choices=get_args(Method), default="eagley")
    parser.add_argument("--trace", type=Path, help="write the recorded run to this file")
    parser.add_argument(
        "--no-record", action="store_true", help="decode only: figures of the target are left out"
    )
    add_decode_arguments(parser)
    add_model_arguments(parser)
    add_frozen_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    """The last turn's figures, and with several turns every turn's."""
    config = config_of(args, args.method)
    if args.no_record and args.trace:
        raise ValueError("--trace needs the recording that --no-record leaves out")
    check_folder(args.trace)
    check_folder(args.save_frozen)
    lab = lab_of(args)
    chat, turns = lab.engine.conversation(), []
    for text in args.prompt:
        answers = zip(args.prompt, (turn["text"] for turn in turns), strict=False)
        history = tuple(said for pair in answers for said in pair)
        turns.append(_turn(args, lab, (text, history, config), chat))
    keep_frozen(args, lab, config, chat)
    return turns[-1] | ({"turns": turns} if turns[1:] else {})


def _turn(args: argparse.Namespace, lab, asked: tuple, chat) -> dict:
    from eagley_core.draft_figures import draft_figures
    from eagley_core.lab import Prompt

    text, history, config = asked
    prompt = Prompt(text, raw=args.raw, history=history)
    if args.no_record:
        return _unrecorded(lab, lab.steps(prompt, config, chat=chat))
    trace = lab.ran(prompt, config, chat)
    if args.trace:
        save_traces(_file(args.trace, trace.turn, len(args.prompt)), [trace])
    return run_fields(trace) | draft_figures(lab.engine, config)


def _file(path: Path, turn: int, n_turns: int) -> Path:
    """One file per turn: NAME.json.gz, or NAME-1.json.gz, NAME-2.json.gz, …"""
    name, dot, ending = path.name.partition(".")
    return path if n_turns == 1 else path.with_name(f"{name}-{turn + 1}{dot}{ending}")


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
    return "\n\n".join(_told(turn) for turn in result.get("turns", [result]))


def _told(turn: dict) -> str:
    shown = [(k, v) for k, v in turn.items() if k not in ("text", "token_ids")]
    return f"{turn['text']}\n\n{lines(shown)}"
