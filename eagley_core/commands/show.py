"""`show`: a recorded run in words, totals and step by step."""

import argparse
from pathlib import Path

from eagley_core.commands.settings import lines
from eagley_core.results import run_fields
from eagley_core.trace import Step, Trace
from eagley_core.trace_file import load_traces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", type=Path, metavar="TRACE")


def run(args: argparse.Namespace) -> dict:
    return {"runs": [_run(trace) for trace in load_traces(args.trace)]}


def _run(trace: Trace) -> dict:
    steps = [_step(trace, step) for step in trace.steps]
    return {"prompt": trace.prompt, **run_fields(trace), "steps": steps}


def _step(trace: Trace, step: Step) -> dict:
    return {
        "step": step.index,
        "kind": step.kind,
        "position": step.position,
        "root": trace.token_texts[step.root_id],
        "nodes": len(step.nodes),
        "rows": step.rows,
        "accepted": [trace.token_texts[step.nodes[i].token_id] for i in step.accepted],
        "sources": [step.nodes[i].source for i in step.accepted],
        "bonus": trace.token_texts[step.bonus_id],
        "emitted": step.emitted,
        "milliseconds": {
            phase: round(1000 * getattr(step, f"{phase}_seconds"), 3)
            for phase in ("draft", "verify", "accept", "commit")
        },
    }


def words(result: dict) -> str:
    return "\n\n".join(_told(run) for run in result["runs"])


def _told(run: dict) -> str:
    hidden = ("text", "token_ids", "steps", "prompt")
    totals = lines([(k, v) for k, v in run.items() if k not in hidden])
    steps = "\n".join(_sentence(step) for step in run["steps"])
    return f"{run['method']}: {run['prompt']!r}\n{totals}\n{steps}"


def _sentence(step: dict) -> str:
    total = sum(step["milliseconds"].values())
    start = f"step {step['step']:>3}  {total:7.1f} ms  "
    if step["kind"] == "prefill":
        return f"{start}prefill of {step['rows']} tokens, then {step['bonus']!r}"
    accepted = " ".join(
        f"{text!r} ({source})"
        for text, source in zip(step["accepted"], step["sources"], strict=True)
    )
    return (
        f"{start}after {step['root']!r}: {step['nodes']} nodes, accepted {accepted or 'none'}, "
        f"bonus {step['bonus']!r}"
    )
