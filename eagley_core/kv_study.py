"""What it costs to use rows that are not the target's own: whole runs held against a clean pass.

The settings are the approximate channels beside vanilla, EAGLE and EAGLEY, all greedy. A mismatch
is teacher-forced: an emitted token that is not the target's choice after the text before it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import torch

from eagley_core.ancestor import AncestorError, changed_ancestor
from eagley_core.clean_pass import clean_pass
from eagley_core.config import DecodeConfig
from eagley_core.kv_summary import ancestor_figures, setting_figures
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import acceptance_rate, whole_steps
from eagley_core.prompt_file import PromptLine
from eagley_core.trace import Trace

Row = dict[str, Any]
STALE: Final = tuple(f"stale-kv:{n}" for n in (1, 2, 4, 8, 16))
SETTINGS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "vanilla": ("vanilla", ()),
    "eagle": ("eagle", ()),
    "eagley": ("eagley", ("recycled",)),
    **{name: ("eagley", ("recycled", name)) for name in STALE},
    **{name: ("eagley", ("recycled", name)) for name in ("draft-kv:none", "draft-kv:new")},
    "draft-kv:exact": ("eagley", ("recycled", "draft-kv:exact")),
}


def kv_study(
    lab: Lab, lines: Sequence[PromptLine], max_new_tokens: int, done: Callable[[str], None]
) -> Row:
    """Run every setting on every prompt, and change one ancestor in vanilla's text."""
    rows: list[Row] = []
    ancestors: list[Row] = []
    for line in lines:
        prompt = Prompt(line.text, line.question_id, line.category)
        traces = runs_of(lab, prompt, max_new_tokens)
        vanilla = traces["vanilla"]
        rows += [run_row(lab, name, trace, vanilla) for name, trace in traces.items()]
        ancestors.append(ancestor_row(lab, vanilla))
        done(line.question_id)
    return {
        "max_new_tokens": max_new_tokens,
        "settings": {name: setting_figures(rows, name) for name in SETTINGS},
        "ancestor": ancestor_figures(ancestors),
        "environment": asdict(vanilla.environment),
    }


def runs_of(lab: Lab, prompt: Prompt, max_new_tokens: int) -> dict[str, Trace]:
    """One prompt in every setting, with internals."""
    return {
        name: lab.ran(prompt, DecodeConfig(method, max_new_tokens, reuse=reuse, internals=True))
        for name, (method, reuse) in SETTINGS.items()
    }


def run_row(lab: Lab, name: str, trace: Trace, vanilla: Trace) -> Row:
    """One run in counts and sums, from which a setting's figures are made."""
    inside, steps, accepted = trace.internals, whole_steps(trace), acceptance_rate(trace)
    return {
        "setting": name,
        "tokens": len(trace.output_ids),
        "is_identical": trace.output_ids == vanilla.output_ids,
        "mismatches": mismatches(lab, trace),
        "steps": len(steps),
        "step_tokens": sum(len(step.path_ids) for step in steps),
        "accepted_levels": accepted.hits,
        "tested_levels": accepted.tested,
        "stale_tokens": sum(token.source == "stale" for token in trace.emitted),
        "stale_rows": len(borrowed(trace, "stale")),
        "substituted_rows": len(borrowed(trace, "substituted")),
        "predictions": len(inside.kl),
        "kl": sum(inside.kl),
        "flips": sum(inside.flips),
        "ages": [asdict(age) for age in inside.ages],
        "deltas": [asdict(delta) for delta in inside.deltas],
        "layer_similarity": inside.layer_similarity,
        "draft_similarity": inside.draft_similarity,
        **row_errors(trace),
    }


def borrowed(trace: Trace, provenance: str) -> list[int]:
    """Output positions whose rows were not the target's own at some step, from 0."""
    first = len(trace.prompt_ids)
    found = {
        position - first
        for step in trace.steps
        for run in step.cache
        if run.provenance == provenance
        for position in range(run.start, run.stop)
    }
    return sorted(position for position in found if position >= 0)


def row_errors(trace: Trace) -> Row:
    """Relative errors of the borrowed rows as they were committed, by layer; None without any."""
    where = borrowed(trace, "stale") or borrowed(trace, "substituted")
    keys, values = trace.internals.key_errors, trace.internals.value_errors
    where = [position for position in where if keys and position < len(keys[0])]
    pairs = (("key_errors", keys), ("value_errors", values))
    return {
        name: [sum(layer[p] for p in where) / len(where) for layer in table] if where else None
        for name, table in pairs
    }


@torch.inference_mode()
def mismatches(lab: Lab, trace: Trace) -> int:
    """Emitted tokens that the target would not have chosen after the same text."""
    target, first = lab.engine.target, len(trace.prompt_ids)
    text = [*trace.prompt_ids, *trace.output_ids]
    clean = clean_pass(target, text, lab.engine.is_invariant(trace.config))
    chosen = target.logits(clean.hidden[first - 1 : -1]).argmax(-1).tolist()
    return sum(ours != own for ours, own in zip(trace.output_ids, chosen, strict=True))


@torch.inference_mode()
def ancestor_row(lab: Lab, vanilla: Trace) -> Row:
    """The likeliest other token put in a third of the way down vanilla's output."""
    target, n_output = lab.engine.target, len(vanilla.output_ids)
    text = [*vanilla.prompt_ids, *vanilla.output_ids]
    at = len(vanilla.prompt_ids) + n_output // 3
    clean = clean_pass(target, text, lab.engine.is_invariant(vanilla.config))
    best = target.logits(clean.hidden[at - 1 : at]).topk(2).indices[0].tolist()
    other = best[1] if best[0] == text[at] else best[0]
    return _ancestor_row(changed_ancestor(target, text, at, other))


def _ancestor_row(error: AncestorError) -> Row:
    return {
        "keys": error.keys.mean(0).tolist(),
        "values": error.values.mean(0).tolist(),
        "kl": error.kl.tolist(),
    }
