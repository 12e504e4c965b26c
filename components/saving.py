"""What the open run can be saved as, each made when it is asked for."""

import base64
import gzip
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from starlette.responses import Response

from components.charts import CHARTS
from components.library import Library
from components.save import KINDS
from components.selection import Comparison
from components.serving import answering
from components.static_page import static_page
from components.tables import tree_table
from components.words import ENGLISH, Words
from eagley_core.trace_file import save_traces


class Saved(NamedTuple):
    ending: str
    type: str
    data: bytes


def saved_as(comparison: Comparison, kind: str, say: Words = ENGLISH) -> Saved:
    """The run as a file. Raises ValueError for an unknown kind."""
    if kind == "trace":
        return Saved(".json.gz", "application/gzip", _trace(comparison))
    if kind == "json":
        return Saved(".json", "application/json", gzip.decompress(_trace(comparison)))
    if kind == "csv":
        return Saved(".csv", "text/csv", _nodes(comparison, say).to_csv(index=False).encode())
    if kind == "html":
        return Saved(".html", "text/html", static_page(comparison, CHARTS, say).encode())
    raise ValueError(f"a run is saved as one of {', '.join(KINDS)}, not as {kind!r}")


def save_function(library: Library, say: Words = ENGLISH) -> Callable[[list], Response]:
    """`save`, called with [key, kind]: {"name", "type", "data"}, the data in base64."""

    def save(question: list) -> str:
        key, kind = question
        comparison = library.find(key)
        ending, media, data = saved_as(comparison, kind, say)
        text = base64.b64encode(data).decode()
        return json.dumps({"name": _stem(comparison) + ending, "type": media, "data": text})

    return answering(save, say)


def _stem(comparison: Comparison) -> str:
    return re.sub(r"\W+", "-", comparison.name.lower())[:60].strip("-") or "run"


def _trace(comparison: Comparison) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json.gz"
        save_traces(path, comparison.traces)
        return path.read_bytes()


def _nodes(comparison: Comparison, say: Words) -> pd.DataFrame:
    """Every node of every tree, by lane and step."""
    tables = [
        tree_table(trace, step, say).assign(lane=lane, step=step.index)
        for lane, trace in comparison.lanes.items()
        for step in trace.decode_steps
        if step.nodes
    ]
    if not tables:
        return pd.DataFrame(columns=["lane", "step"])
    frame = pd.concat(tables, ignore_index=True)
    return frame[["lane", "step", *(c for c in frame.columns if c not in ("lane", "step"))]]
