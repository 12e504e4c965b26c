"""Every acceptance rule on the same recorded steps: what it accepts there, and what that costs.

The steps are those of exact, uncoupled EAGLE runs, so that all rules see the same roots and trees.
Under a rule of its own a run would go on from another text; `bench --rules` runs that.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.errors import Level, Observed, errors, law, pooled
from eagley_core.judge import Judge
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import whole_steps
from eagley_core.prompt_file import PromptLine
from eagley_core.rule import Rule
from eagley_core.statistics import Interval, ratio_interval
from eagley_core.trace import Step, Trace
from eagley_core.what_if import ROOT, case_of, children_of, prediction_at, what_if

TEMPERATURES: Final = (0.0, 1.0)
RULES: Final = (
    "speculative",
    *(f"seed-ratio:{t}" for t in (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.7)),
    *(f"seed-threshold:{t}" for t in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)),
    *(f"top-k:{k}" for k in (1, 2, 3, 5, 10)),
    *(f"lenience:{least}" for least in (0.9, 0.8, 0.7, 0.5, 0.3, 0.2, 0.1)),
    *(f"typical:{pair}" for pair in ("0.6,0.8", "0.3,0.3", "0.3,0.09", "0.1,0.3", "0.09,0.3")),
)


class Judged(NamedTuple):
    """One run's steps under a rule, each from its root as far as its path stays in the tree."""

    observed: Observed
    steps: int


def judged(trace: Trace, rule: Rule) -> Judged:
    """Apply a rule to every whole decode step of an exact run."""
    levels: list[Level] = []
    tokens = mismatches = 0
    steps = whole_steps(trace)
    for step in steps:
        path, children = what_if(step, rule, trace.config).path, children_of(step, rule)
        met = [children[row] for row in (ROOT, *path) if row in children]
        levels += [tuple(case_of(step, node, trace.config) for node in own) for own in met]
        tokens += len(path) + 1
        mismatches += sum(_is_other(step, node) for node in path)
    judge = Judge(rule, trace.config.temperature == 0)
    return Judged(Observed(judge, levels, tokens, mismatches), len(steps))


def _is_other(step: Step, index: int) -> bool:
    """Whether an accepted node is not the target's own token at its place."""
    node = step.nodes[index]
    return node.token_id != prediction_at(step, node.parent).choice_id


def rule_figures(traces: Sequence[Trace], rule: Rule) -> dict[str, Any]:
    """What a rule accepts and costs on these runs; intervals are over them, JSON-ready."""
    found = [judged(trace, rule) for trace in traces]
    own = [part.observed for part in found]
    tokens, steps = sum(part.tokens for part in own), sum(part.steps for part in found)
    intervals = {
        "acceptance_interval": _by_level(own, "acceptance"),
        "total_variation_interval": _by_level(own, "total_variation"),
        "mismatch_interval": ratio_interval([o.mismatches for o in own], [o.tokens for o in own]),
    }
    return {
        "temperature": traces[0].config.temperature,
        "rule": str(rule),
        "prompts": len(traces),
        "steps": steps,
        "mean_accepted_length": tokens / steps,
        **errors(pooled(own))._asdict(),
        **{name: interval._asdict() for name, interval in intervals.items()},
    }


def _by_level(found: Sequence[Observed], figure: str) -> Interval:
    """The mean of a figure over all levels, with its interval over the runs."""
    sums = [sum(getattr(law(own.judge, y), figure) for y in own.levels) for own in found]
    return ratio_interval(sums, [len(own.levels) for own in found])


def rule_study(
    lab: Lab, lines: Sequence[PromptLine], max_new_tokens: int, done: Callable[[str], None]
) -> dict[str, Any]:
    """Record exact runs of every prompt at both temperatures, and judge them by every rule."""
    rows = []
    for temperature in TEMPERATURES:
        config = DecodeConfig("eagle", max_new_tokens, temperature=temperature, coupled=False)
        traces = []
        for line in lines:
            traces.append(lab.ran(Prompt(line.text, line.question_id, line.category), config))
            done(f"temperature {temperature:g}, {line.question_id}")
        rows += [rule_figures(traces, Rule.parse(text)) for text in RULES]
    return {
        "max_new_tokens": max_new_tokens,
        "rules": rows,
        "environment": asdict(traces[0].environment),
    }
