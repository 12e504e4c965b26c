"""Settings that commands share, and what is made of them."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from eagley_core.config import EARLY_EXIT, DecodeConfig, TreeShape
from eagley_core.reuse import channels_of
from eagley_core.rule import Rule

MODEL = ("target", "draft", "dtype", "device", "context", "threads")
SEED_CHAIN = "dynamic:16,16,1"  # the seed's max_draft_length


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument("--target", help="hub id or folder (default: the embedded model)")
    group.add_argument(
        "--draft",
        help="hub id or folder of an EAGLE head or of a language model with the target's "
        "tokenizer, or int8 (a copy of the target), or early-exit:FOLDER (the target's first "
        "layers and an exit head), or none (default: the shipped head)",
    )
    group.add_argument("--dtype", default="auto", help="float32, bfloat16, float16 or auto")
    group.add_argument("--device", default="auto", help="cpu, cuda or auto")
    group.add_argument("--context", type=int, help="use at most this much of the context")
    group.add_argument("--threads", type=int, help="processor threads (default: torch's choice)")


def add_decode_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = DecodeConfig()
    group = parser.add_argument_group("decoding")
    group.add_argument("--max-new-tokens", type=int, default=defaults.max_new_tokens)
    group.add_argument("--temperature", type=float, default=defaults.temperature)
    group.add_argument("--top-p", type=float, default=defaults.top_p)
    group.add_argument("--top-k", type=int, default=defaults.top_k)
    group.add_argument("--repetition-penalty", type=float, default=defaults.repetition_penalty)
    group.add_argument("--seed", type=int, default=defaults.seed)
    group.add_argument("--stop", action="append", default=[], help="stop string; may be repeated")
    group.add_argument(
        "--tree",
        help="auto[:TOTAL,DEPTH,TOPK], fixed, or dynamic:TOTAL,DEPTH,TOPK (default: auto); "
        f"eagley takes auto only, but for rule seed-literal (default there: {SEED_CHAIN})",
    )
    group.add_argument(
        "--reuse",
        help=f"EAGLEY's channels, or none (default: {','.join(defaults.reuse)}, and shared-kv "
        "with an early-exit draft; none for rule seed-literal)",
    )
    group.add_argument("--rule", default=str(defaults.rule), help="acceptance: NAME[:NUMBER,...]")
    group.add_argument(
        "--coupled",
        action=argparse.BooleanOptionalAction,
        help="rank candidates with the noise of their position (default: at temperature above 0)",
    )
    group.add_argument("--numerics", choices=["invariant", "fast"])
    group.add_argument(
        "--internals", action="store_true", help="hold each run against a clean pass over its text"
    )


def add_frozen_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("decisions")
    group.add_argument(
        "--frozen", type=Path, metavar="FILE", help="decide by this file's costs and calibration"
    )
    group.add_argument(
        "--save-frozen", type=Path, metavar="FILE", help="write costs and what was learnt there"
    )


def config_of(args: argparse.Namespace, method: str) -> DecodeConfig:
    """The run's settings. Raises ValueError that names what is wrong."""
    plain = {f.name for f in fields(DecodeConfig)} - {"method", "tree", "reuse", "rule", "stop"}
    rule = Rule.parse(args.rule)
    is_literal = rule.name == "seed-literal"
    return DecodeConfig(
        method=method,
        tree=TreeShape.parse(args.tree or (SEED_CHAIN if is_literal else "auto")),
        reuse=() if is_literal and args.reuse is None else _channels(args),
        rule=rule,
        stop=tuple(args.stop),
        **{name: getattr(args, name) for name in plain},
    )


def _channels(args: argparse.Namespace) -> tuple[str, ...]:
    if args.reuse is None:
        is_part = (getattr(args, "draft", None) or "").startswith(EARLY_EXIT)
        return DecodeConfig().reuse + (("shared-kv",) if is_part else ())
    return channels_of(args.reuse)


def opening_of(args: argparse.Namespace):
    """What engine the arguments name."""
    from eagley_core.frozen import load_frozen
    from eagley_core.opening import Opening

    frozen = getattr(args, "frozen", None)
    return Opening(
        frozen=load_frozen(frozen) if frozen else None,
        **{name: getattr(args, name) for name in MODEL},
    )


def lab_of(args: argparse.Namespace):
    """Load what the arguments name, telling progress on stderr."""
    return opening_of(args).lab(report)


def keep_frozen(args: argparse.Namespace, lab, config: DecodeConfig, chat) -> None:
    """Write what a conversation decided by, where that was asked for."""
    from eagley_core.frozen import save_frozen

    if args.save_frozen:
        costs = lab.engine.costs(lab.engine.is_invariant(config))
        save_frozen(args.save_frozen, costs, chat.memory.calibration)


def check_folder(file: Path | None) -> None:
    """Refuse an output file whose folder does not exist, before any work is done."""
    if file is not None and not file.parent.is_dir():
        raise ValueError(f"cannot write {file}: there is no folder {file.parent}")


def report(what: str, fraction: float) -> None:
    """One line of progress on stderr."""
    print(f"[{fraction:4.0%}] {what}", file=sys.stderr, flush=True)  # noqa: T201


def lines(pairs: Sequence[tuple[str, object]]) -> str:
    """Aligned `name  value` lines; long fractions are shortened."""
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:<{width}}  {_short(value)}" for name, value in pairs)


def _short(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_short(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value
