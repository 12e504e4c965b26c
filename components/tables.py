"""The figures' facts as tables, for reading, copying and screen readers."""

import pandas as pd

from components.explain import kept_from
from components.figures.acceptance import outcomes
from components.labels import visible
from components.selection import Comparison
from components.verdict import reason
from components.words import ENGLISH, Phrase, Words
from eagley_core.trace import Step, Trace

TREE_COLUMNS = (
    Phrase("node"),
    Phrase("parent"),
    Phrase("depth"),
    Phrase("token"),
    Phrase("source"),
    "q",
    "p",
    Phrase("rank"),
    Phrase("verdict"),
    Phrase("why"),
    Phrase("kept from"),
)
TIMELINE_COLUMNS = (
    Phrase("lane"),
    Phrase("step"),
    Phrase("start ms"),
    Phrase("draft ms"),
    Phrase("verify ms"),
    Phrase("accept ms"),
    Phrase("commit ms"),
    Phrase("rows"),
    Phrase("tokens"),
)
ACCEPTANCE_COLUMNS = (Phrase("lane"), Phrase("step"), Phrase("accepted"))
PROVENANCE_COLUMNS = (
    Phrase("lane"),
    Phrase("step"),
    Phrase("from"),
    Phrase("to"),
    Phrase("provenance"),
    Phrase("age"),
)


def tree_table(trace: Trace, step: Step, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per node of a step's draft tree."""
    texts = trace.token_texts
    rows = [
        (
            index,
            node.parent,
            node.depth,
            visible(texts.get(node.token_id, "")),
            say(node.source),
            _rounded(node.draft_probability),
            _rounded(node.raw_probability),
            node.rank + 1,
            say(node.verdict),
            reason(trace, step, index, say),
            kept_from(node, trace.turn, say),
        )
        for index, node in enumerate(step.nodes)
    ]
    return pd.DataFrame(rows, columns=[say(name) for name in TREE_COLUMNS])


def timeline_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and step, times in milliseconds."""
    rows = [
        (
            say(trace.label),
            step.index,
            _ms(step.started),
            _ms(step.draft_seconds),
            _ms(step.verify_seconds),
            _ms(step.accept_seconds),
            _ms(step.commit_seconds),
            step.rows,
            step.emitted,
        )
        for trace in comparison.traces
        for step in trace.steps
    ]
    return pd.DataFrame(rows, columns=[say(name) for name in TIMELINE_COLUMNS])


def acceptance_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and step; a column per depth."""
    rows = [
        (say(trace.label), step.index, len(step.accepted), *map(say, outcomes(step)))
        for method, trace in comparison.lanes.items()
        if method != "vanilla"
        for step in trace.decode_steps
    ]
    known = len(ACCEPTANCE_COLUMNS)
    deepest = max(map(len, rows), default=known) - known
    depths = [say("depth {depth}", depth=depth) for depth in range(1, deepest + 1)]
    padded = [(*row, *[""] * (known + deepest - len(row))) for row in rows]
    return pd.DataFrame(padded, columns=[*map(say, ACCEPTANCE_COLUMNS), *depths])


def provenance_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane, step and run of cache positions that share a provenance.

    age: tokens since stale rows were put in place.
    """
    rows = [
        (say(trace.label), step.index, run.start, run.stop - 1, say(run.provenance), run.age)
        for trace in comparison.traces
        for step in trace.steps
        for run in step.cache
    ]
    return pd.DataFrame(rows, columns=[say(name) for name in PROVENANCE_COLUMNS])


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
