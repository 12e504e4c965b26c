"""What the open run can be saved as, each made when it is asked for."""

import base64
import gzip
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.responses import Response

from components.charts import CHARTS
from components.elements.save import KINDS
from components.library import Library
from components.selection import Comparison
from components.serving import answering
from components.static_page import static_page
from components.words import ENGLISH, Words
from eagley_core.csv_tables import write_tables
from eagley_core.perfetto import perfetto
from eagley_core.trace_file import save_traces


class Saved(NamedTuple):
    ending: str
    type: str
    data: bytes


def saved_as(comparison: Comparison, kind: str, say: Words = ENGLISH) -> Saved:
    """The run as a file. Raises ValueError for an unknown kind."""
    if kind == "trace":
        return Saved(".json.gz", "application/gzip", _written(save_traces, comparison))
    if kind == "json":
        return Saved(
            ".json", "application/json", gzip.decompress(_written(save_traces, comparison))
        )
    if kind == "csv":
        return Saved(".csv.zip", "application/zip", _written(write_tables, comparison))
    if kind == "perfetto":
        text = json.dumps(perfetto(comparison.traces), ensure_ascii=False)
        return Saved(".perfetto.json", "application/json", text.encode())
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


def _written(write: Callable, comparison: Comparison) -> bytes:
    """What `write` puts into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        write(path, comparison.traces)
        return path.read_bytes()
