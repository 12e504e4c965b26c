"""`calibrate`: fit how likely the candidates of every source are, on runs of some prompts.

The control `ngram` too, so that it is as well calibrated as what it is compared with.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from eagley_core.commands.settings import (
    add_decode_arguments,
    add_model_arguments,
    check_folder,
    config_of,
    lab_of,
    lines,
)
from eagley_core.prompt_file import read_prompts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--prompts", type=Path, required=True, help="JSON lines; not those that will be reported")
    add("--limit", type=int, help="this many prompts, spread over categories")
    add("--out", type=Path, required=True, help="prior.json; beside a head it is read with it")
    add_decode_arguments(parser)
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    base = config_of(args, "eagley")
    check_folder(args.out)
    prompts = read_prompts(args.prompts, args.limit)
    lab = lab_of(args)
    from eagley_core.prior import save_prior
    from eagley_core.prior_fit import fitted

    warm = base.temperature or 1.0
    lanes = [replace(base, method="eagley"), replace(base, method="eagley", reuse=("ngram",))]
    if lab.engine.draft is not None:
        lanes.append(replace(base, method="eagle"))
    configs = [replace(lane, temperature=t) for lane in lanes for t in (0.0, warm)]
    prior, candidates = fitted(lab, prompts, configs, lambda number: _tell(number, len(prompts)))
    told = {"draft": lab.draft_name, "prompts": len(prompts), "candidates": candidates}
    questions = [line.question_id for line in prompts]
    save_prior(prior, args.out, {**told, "questions": questions})
    return {"prior": str(args.out), **told, "families": len(prior.curves)}


def _tell(number: int, total: int) -> None:
    print(f"{number}/{total} prompts", file=sys.stderr, flush=True)  # noqa: T201


def words(result: dict) -> str:
    return lines(list(result.items()))
