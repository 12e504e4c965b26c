"""`bench`: methods over a file of prompts, interleaved per prompt, warm-up first."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from eagley_core import busy, setup
from eagley_core.commands.journal import add_journal_arguments, check_journal, journal_of
from eagley_core.commands.peers import add_peer_arguments, peer_lanes
from eagley_core.commands.questions import add_question_arguments, asked
from eagley_core.commands.scale import add_scale_arguments, check_scale
from eagley_core.commands.settings import (
    SEED_CHAIN,
    add_decode_arguments,
    add_frozen_arguments,
    add_model_arguments,
    check_folder,
    config_of,
    lines,
)
from eagley_core.commands.sweep import add_sweep_arguments, check_sweep, run_sweep, sweep_words
from eagley_core.commands.work import in_this_process, on_ray
from eagley_core.config import DecodeConfig, Method, TreeShape
from eagley_core.reuse import REPLACED
from eagley_core.rule import Rule

CONTROLS = {"more-draft": (*REPLACED, "more-draft"), "ngram": ("ngram",)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", default="vanilla,eagle,eagley")
    parser.add_argument(
        "--rules",
        help="more lanes, NAME[:NUMBER,...],...: every method but vanilla with each of these rules",
    )
    parser.add_argument("--rules-for", help="of the lanes, only these get the rules: eagley,...")
    parser.add_argument(
        "--controls",
        action="store_true",
        help="two more lanes: more drafted nodes, or n-grams, in the place of stored ones",
    )
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument(
        "--warm", action="store_true", help="store and calibration go on from prompt to prompt"
    )
    parser.add_argument("--out", type=Path, help="write the result to this file too")
    add_journal_arguments(parser)
    parser.add_argument("--busy", action="store_true", help="time even on a busy machine")
    parser.add_argument("--traces", type=Path, help="write one trace file per prompt here")
    add_decode_arguments(parser)
    add_model_arguments(parser)
    add_frozen_arguments(parser)
    add_question_arguments(parser)
    add_peer_arguments(parser)
    add_scale_arguments(parser)
    add_sweep_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    check_scale(args)
    check_sweep(args)
    questions, lanes = asked(args), lanes_of(args)
    check_folder(args.out)
    check_folder(args.save_frozen)
    check_journal(args)
    peers, prompts = peer_lanes(args, config_of(args, "vanilla")), questions.lines
    load = _load(args)
    from eagley_core.bench import Plan

    plan = Plan(lanes | peers, args.repeats, args.warm)
    made = _setup(args, plan, prompts, load) | questions.setup
    if args.sweep:
        result, journal = run_sweep(args, lanes, prompts)
    else:
        journal = journal_of(args, plan, prompts)
        work = on_ray if args.ray else in_this_process
        result = questions.judged(work(args, plan, prompts, journal))
    result |= {"setup": made | _hashes(args)}
    _write(args.out, result, journal)
    return result


def _write(out: Path | None, result: dict, journal) -> None:
    """The result, and then the journal is of no use any more."""
    if out:
        out.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
        journal.remove()


def _load(args: argparse.Namespace) -> busy.Load:
    """The machine's, before anything of ours is loaded."""
    load = busy.look()
    busy.check(load, args.busy)
    print(f"before the start: {load.told}", file=sys.stderr, flush=True)  # noqa: T201
    return load


def _setup(args: argparse.Namespace, plan, prompts, load: busy.Load) -> dict:
    return {
        "command": setup.command(sys.argv[1:]),
        "started": setup.now(),
        "machine": setup.machine(),
        "load": load._asdict() | {"is_busy": load.is_busy},
        **setup.plan_of(plan, prompts),
    }


def _hashes(args: argparse.Namespace) -> dict:
    """Of the weights, once they are here."""
    return {
        "target": setup.target_hashes(args.target),
        "draft": setup.draft_hashes(args.draft, args.target),
    }


def _methods(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in get_args(Method):
            known = ", ".join(get_args(Method))
            raise ValueError(f"methods must be among {known}, got {name!r}")
    return list(dict.fromkeys(names))


def lanes_of(args: argparse.Namespace) -> dict[str, DecodeConfig]:
    """What is run on every prompt, by name. Raises ValueError on settings that do not go."""
    lanes = {name: config_of(args, name) for name in _methods(args.methods)} | _controls(args)
    return ruled_lanes(lanes, args.rules, _ruled_names(args, lanes))


def _controls(args: argparse.Namespace) -> dict[str, DecodeConfig]:
    """Lanes with as many rows as EAGLEY's, of which none is kept from a pass."""
    base = config_of(args, "eagley")
    named = CONTROLS.items() if args.controls else ()
    return {name: replace(base, reuse=channels) for name, channels in named}


def _ruled_names(args: argparse.Namespace, lanes: dict[str, DecodeConfig]) -> list[str]:
    """The lanes that `--rules` is for."""
    if args.rules_for is None:
        return list(lanes)
    if args.rules is None:
        raise ValueError(f"--rules-for {args.rules_for} needs --rules")
    names = args.rules_for.split(",")
    for name in names:
        if name not in lanes:
            raise ValueError(f"--rules-for must name lanes of {', '.join(lanes)}, got {name!r}")
    return names


def ruled_lanes(
    lanes: dict[str, DecodeConfig], rules: str | None, ruled: Sequence[str] | None = None
) -> dict[str, DecodeConfig]:
    """The lanes, and after them the `ruled` ones with other rules: `eagle[top-k:2]`.

    Under seed-literal, which takes a chain and no channel, all methods are one: it is run once.
    """
    named = [] if rules is None else map(Rule.parse, re.split(r",(?=[a-z])", rules))
    drafting = {name: lanes[name] for name in ruled or lanes if lanes[name].method != "vanilla"}
    one = ["eagley"] if "eagley" in drafting else list(drafting)[-1:]
    return lanes | {
        f"{name}[{rule}]": _ruled(drafting[name], rule)
        for rule in named
        for name in (one if rule.name == "seed-literal" else drafting)
    }


def _ruled(config: DecodeConfig, rule: Rule) -> DecodeConfig:
    if rule.name != "seed-literal":
        return replace(config, rule=rule)
    return replace(config, rule=rule, tree=TreeShape.parse(SEED_CHAIN), reuse=())


def words(result: dict) -> str:
    if "axes" in result:
        return sweep_words(result)
    rows = []
    for name, figures in result["methods"].items():
        identical = f"{figures['identical_to_vanilla']}/{figures['compared']}"
        told = _told(figures) + f", identical to vanilla {identical}"
        rows.append((name, told + _errors_told(figures["errors"])))
    for name, interval in result["speedup"].items():
        known = interval["median"] is not None
        told = "{median:.3f} ({low:.3f} to {high:.3f})".format(**interval) if known else "unknown"
        rows.append((name, told))
    for name, found in result.get("accuracy", {}).items():
        told = f"{found['correct']}/{found['of']} right"
        rows.append((name, f"{told}, answers as vanilla's {_of(found)}"))
    return lines(rows)


def _of(found: dict) -> str:
    return f"{found['answers_equal_to_vanilla']}/{found['compared']}"


def _errors_told(errors: dict | None) -> str:
    if errors is None or errors["total_variation"] is None:
        return ""
    return (
        ", total variation {total_variation:.4f} at acceptance {acceptance:.3f} "
        "(lenience at equal error: {lenience_acceptance:.3f})".format(**errors)
    )


def _told(figures: dict) -> str:
    speed, length = figures["decode_tokens_per_second"], figures["mean_accepted_length"]
    if speed is None or length is None:
        return "no whole decode step"
    return f"{speed:.1f} tokens/s, mean accepted length {length:.2f}"
