"""`export`: a recorded run, or comparison, in the form of other tools."""

import argparse
import gzip
import json
from pathlib import Path

from eagley_core.commands.settings import lines
from eagley_core.trace_file import load_traces

ENDINGS = {
    "perfetto": ".perfetto.json",
    "html": ".html",
    "csv": ".csv.zip",
    "json": ".json",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument(
        "--format",
        required=True,
        choices=tuple(ENDINGS),
        help="a timeline for ui.perfetto.dev, one page that needs no network, a zip of tables, or "
        "the plain trace",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="default: named after the trace, in this folder"
    )


def run(args: argparse.Namespace) -> dict:
    traces = load_traces(args.trace)
    out = args.out or Path(args.trace.name.removesuffix(".gz").removesuffix(".json"))
    out = out if args.out else out.with_name(out.name + ENDINGS[args.format])
    if out.exists() and out.samefile(args.trace):
        raise ValueError(f"cannot write {out}: it is the trace itself")
    out.parent.mkdir(parents=True, exist_ok=True)
    WRITERS[args.format](out, args.trace, traces)
    return {"file": str(out)}


def words(result: dict) -> str:
    return lines(list(result.items()))


def _perfetto(out: Path, _trace: Path, traces: tuple) -> None:
    from eagley_core.perfetto import perfetto

    out.write_text(json.dumps(perfetto(traces), ensure_ascii=False), encoding="utf-8")


def _csv(out: Path, _trace: Path, traces: tuple) -> None:
    from eagley_core.csv_tables import write_tables

    write_tables(out, traces)


def _json(out: Path, trace: Path, _traces: tuple) -> None:
    out.write_bytes(gzip.decompress(trace.read_bytes()))


def _html(out: Path, trace: Path, _traces: tuple) -> None:
    """The explorer's own view: what draws it lies above the core, and is imported here alone."""
    from components.charts import CHARTS
    from components.runs import uploaded
    from components.static_page import static_page

    out.write_text(static_page(uploaded(trace), CHARTS), encoding="utf-8")


WRITERS = {"perfetto": _perfetto, "html": _html, "csv": _csv, "json": _json}
