"""`train`: a head for a target, from conversations of that target: EAGLE-3's or an exit head.

An EAGLE-3 head's training can be resumed; an exit head's takes minutes.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from eagley_core.commands.settings import lines
from eagley_core.train.order import Order, Writing
from eagley_core.train.settings import TrainSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = TrainSettings()
    add = parser.add_argument
    add("--kind", choices=["eagle3", "early-exit"], default="eagle3")
    add("--layer", type=int, help="of early-exit: how many of the target's layers are before it")
    add("--data", type=Path, nargs="+", default=[], metavar="FILE", help="npz, or chats as .jsonl")
    add("--out", type=Path, required=True, help="folder for the head")
    add("--work", type=Path, help="folder for features and checkpoints (default: OUT-work)")
    add(
        "--conversations",
        type=int,
        nargs="+",
        metavar="N",
        help="use the first N of each file: one number for all files, or one each",
    )
    _add_writing(parser)
    add("--resume", action="store_true", help="continue from the work folder's checkpoint")
    add("--from", type=Path, dest="first_head", metavar="HEAD", help="train this head further")
    add("--target", help="hub id or folder (default: the embedded model)")
    add("--dtype", default="auto", help="of the target: float32, bfloat16, float16 or auto")
    add("--device", default="auto", help="cpu, cuda or auto")
    add("--threads", type=int, help="processor threads (default: torch's choice)")
    add("--budget-minutes", type=float, default=defaults.budget_minutes)
    add("--steps", type=int, help="train for this many updates, whatever the budget")
    add("--seed", type=int, default=defaults.seed)
    add("--draft-vocab", type=int, default=defaults.draft_vocab)
    add("--batch-tokens", type=int, default=defaults.batch_tokens)
    add("--learning-rate", type=float, default=defaults.learning_rate)
    add("--single-share", type=float, default=defaults.single_share, metavar="SHARE")
    add("--decay-share", type=float, default=defaults.decay_share, metavar="SHARE")
    add("--evaluate-every", type=int, default=defaults.evaluate_every, metavar="UPDATES")
    add("--patience", type=int, metavar="EVALUATIONS", help="stop when so many bring nothing")


def _add_writing(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--generate", type=int, metavar="N", help="let the target write N conversations itself")
    add("--memory-gb", type=float, default=4.0, help="for texts in the making (default: 4)")
    add("--material", type=Path, metavar="FILE", help="texts to write about, one a line")
    add(
        "--exclude",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE.jsonl",
        help="leave out conversations that share 13 words in a row with these texts",
    )


def run(args: argparse.Namespace) -> dict:
    settings = TrainSettings(
        budget_minutes=args.budget_minutes,
        steps=args.steps,
        seed=args.seed,
        draft_vocab=args.draft_vocab,
        batch_tokens=args.batch_tokens,
        learning_rate=args.learning_rate,
        single_share=args.single_share,
        decay_share=args.decay_share,
        evaluate_every=args.evaluate_every,
        patience=args.patience,
    )
    order = _order(args)
    _check_kind(args)
    if args.threads is not None and args.threads < 1:
        raise ValueError(f"threads must be at least 1, got {args.threads}")
    import torch

    from eagley_core.load import ModelChoice, load_target
    from eagley_core.train.exit_head import ExitShape, train_exit_head
    from eagley_core.train.pipeline import train

    if args.threads:
        torch.set_num_threads(args.threads)
    target, tokenizer = load_target(ModelChoice(args.target, args.dtype, args.device))
    order = replace(order, tokenizer=tokenizer)
    if args.kind == "early-exit":
        return train_exit_head(target, order, settings, ExitShape(args.layer), _report)
    return train(target, order, settings, _report)


def _check_kind(args: argparse.Namespace) -> None:
    is_exit = args.kind == "early-exit"
    if is_exit and args.layer is None:
        raise ValueError("training of kind early-exit needs --layer")
    if is_exit and (args.resume or args.first_head):
        raise ValueError("training of kind early-exit begins anew: it has no --resume or --from")
    defaults = TrainSettings()
    for name in ("single_share", "decay_share", "evaluate_every", "patience"):
        if is_exit and getattr(args, name) != getattr(defaults, name):
            raise ValueError(f"--{name.replace('_', '-')} is for training of kind eagle3")
    if not is_exit and args.layer is not None:
        raise ValueError(f"--layer {args.layer} is for training of kind early-exit")


def _order(args: argparse.Namespace) -> Order:
    if not args.data and args.generate is None:
        raise ValueError("nothing to train from: give --data, or --generate N")
    counts = args.conversations or [None]
    counts = counts * len(args.data) if len(counts) == 1 else counts
    if len(counts) != len(args.data):
        raise ValueError(f"--conversations has {len(counts)} numbers for {len(args.data)} files")
    if any(count is not None and count < 1 for count in counts):
        raise ValueError(f"--conversations must be at least 1, got {min(counts)}")
    work = args.work or args.out.with_name(f"{args.out.name}-work")
    words = [Path(word).name if Path(word).is_absolute() else word for word in sys.argv[1:]]
    command = " ".join(["python -m eagley_core", *words])
    writing = None
    if args.generate is not None:
        writing = Writing(args.generate, args.seed, args.memory_gb, args.material)
    return Order(
        files=tuple(args.data),
        counts=tuple(counts),
        out=args.out,
        work=work,
        resume=args.resume,
        command=command,
        first_head=args.first_head,
        exclude=tuple(args.exclude),
        writing=writing,
    )


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def words(result: dict) -> str:
    return lines(list(result.items()))
