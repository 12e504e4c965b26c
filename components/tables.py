"""The figures' facts as tables, for reading, copying and screen readers."""

import pandas as pd

from components.explain import kept_from
from components.figures.acceptance import outcomes
from components.labels import visible
from components.selection import Comparison
from components.verdict import reason
from eagley_core.trace import Step, Trace


def tree_table(trace: Trace, step: Step) -> pd.DataFrame:
    """One row per node of a step's draft tree."""
    texts = trace.token_texts
    rows = [
        {
            "node": index,
            "parent": node.parent,
            "depth": node.depth,
            "token": visible(texts.get(node.token_id, "")),
            "source": node.source,
            "q": _rounded(node.draft_probability),
            "p": _rounded(node.raw_probability),
            "rank": node.rank + 1,
            "verdict": node.verdict,
            "why": reason(trace, step, index),
            "kept from": kept_from(node, trace.turn),
        }
        for index, node in enumerate(step.nodes)
    ]
    return pd.DataFrame(rows, columns=TREE_COLUMNS)


TREE_COLUMNS = ["node", "parent", "depth", "token", "source", "q", "p", "rank", "verdict"]
TREE_COLUMNS += ["why", "kept from"]


def timeline_table(comparison: Comparison) -> pd.DataFrame:
    """One row per lane and step, times in milliseconds."""
    rows = [
        {
            "lane": trace.label,
            "step": step.index,
            "start ms": _ms(step.started),
            "draft ms": _ms(step.draft_seconds),
            "verify ms": _ms(step.verify_seconds),
            "accept ms": _ms(step.accept_seconds),
            "commit ms": _ms(step.commit_seconds),
            "rows": step.rows,
            "tokens": step.emitted,
        }
        for trace in comparison.traces
        for step in trace.steps
    ]
    return pd.DataFrame(rows)


def acceptance_table(comparison: Comparison) -> pd.DataFrame:
    """One row per lane and step; a column per depth."""
    rows = [
        {"lane": trace.label, "step": step.index, "accepted": len(step.accepted)}
        | {f"depth {depth}": outcome for depth, outcome in enumerate(outcomes(step), start=1)}
        for method, trace in comparison.lanes.items()
        if method != "vanilla"
        for step in trace.decode_steps
    ]
    return pd.DataFrame(rows, columns=None if rows else ["lane", "step", "accepted"]).fillna("")


def provenance_table(comparison: Comparison) -> pd.DataFrame:
    """One row per lane, step and run of cache positions that share a provenance.

    age: tokens since stale rows were put in place.
    """
    rows = [
        (trace.label, step.index, run.start, run.stop - 1, run.provenance, run.age)
        for trace in comparison.traces
        for step in trace.steps
        for run in step.cache
    ]
    return pd.DataFrame(rows, columns=["lane", "step", "from", "to", "provenance", "age"])


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
