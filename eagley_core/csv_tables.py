"""Runs as five tables in one zip of CSV files: runs, steps, nodes, tokens and cached rows.

`run` in every table is the run's number in the file; other columns have the names of `trace`.
"""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from eagley_core.results import run_fields
from eagley_core.trace import Estimate, Node, Origin, Step, Trace

Record = dict[str, Any]
MADE = (1980, 1, 1, 0, 0, 0)  # one date for all, so that the same runs give the same file


def write_tables(path: Path, traces: Sequence[Trace]) -> None:
    """Write the zip. Numbers are as recorded; what is missing is empty; text is UTF-8."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, records in tables(traces).items():
            entry = zipfile.ZipInfo(f"{name}.csv", MADE)
            archive.writestr(entry, _text(records), zipfile.ZIP_DEFLATED)


def tables(traces: Sequence[Trace]) -> dict[str, list[Record]]:
    """Every table as records, by name."""
    numbered = list(enumerate(traces))
    return {
        "runs": [{"run": run, **_totals(trace)} for run, trace in numbered],
        "steps": [{"run": run, **_step(s)} for run, trace in numbered for s in trace.steps],
        "nodes": [{"run": run, **node} for run, trace in numbered for node in _nodes(trace)],
        "tokens": [{"run": run, **token} for run, trace in numbered for token in _tokens(trace)],
        "cache": [{"run": run, **row} for run, trace in numbered for row in _cache(trace)],
    }


def _totals(trace: Trace) -> Record:
    """Everything but lists and tables: those are in the other files."""
    found = {"name": trace.name, "category": trace.category, "prompt": trace.prompt}
    found |= run_fields(trace)
    return {k: v for k, v in found.items() if not isinstance(v, list | dict | tuple)}


LONG = ("nodes", "cache", "accepted", "after_root", "estimate")


def _step(step: Step) -> Record:
    plain = {f.name: getattr(step, f.name) for f in fields(Step) if f.name not in LONG}
    guess = step.estimate
    expected = {f"expected_{f.name}": guess and getattr(guess, f.name) for f in fields(Estimate)}
    counts = {"nodes": len(step.nodes), "accepted": len(step.accepted)}
    return plain | counts | expected


APART = ("sources", "origin", "after", "standing")


def _nodes(trace: Trace) -> Iterator[Record]:
    for step in trace.steps:
        for index, node in enumerate(step.nodes):
            yield {"step": step.index, "node": index, **_node(trace, node)}


def _node(trace: Trace, node: Node) -> Record:
    plain = {f.name: getattr(node, f.name) for f in fields(Node) if f.name not in APART}
    origin = {f"origin_{f.name}": getattr(node.origin, f.name, None) for f in fields(Origin)}
    text = {"text": trace.token_texts.get(node.token_id, ""), "sources": " ".join(node.sources)}
    after = {"choice_id": node.after.choice_id, "entropy": node.after.entropy}
    return plain | text | origin | after


def _tokens(trace: Trace) -> Iterator[Record]:
    for index, (token, piece) in enumerate(zip(trace.emitted, trace.pieces, strict=True)):
        yield {"index": index, **token._asdict(), "piece": piece}


def _cache(trace: Trace) -> Iterator[Record]:
    for step in trace.steps:
        for run in step.cache:
            yield {
                "step": step.index,
                "start": run.start,
                "stop": run.stop,
                "provenance": run.provenance,
                "age": run.age,
            }


def _text(records: Iterable[Record]) -> str:
    records, out = list(records), io.StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()
