"""Recorded runs: one file per prompt, with a trace per lane."""

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from components.selection import Comparison
from eagley_core.metrics import summary
from eagley_core.trace import Trace
from eagley_core.trace_file import TraceError, load_traces

SUFFIX = ".json.gz"
MAX_UPLOAD = 5 * 2**20  # bytes
MOST_ALIKE = 2  # lanes of one method


class Recorded(NamedTuple):
    """A file that can be opened, known by its name alone."""

    label: str
    path: Path

    @property
    def slug(self) -> str:
        """Its key, also in addresses."""
        return re.sub(r"[^\w.-]+", "-", self.path.name.removesuffix(SUFFIX))


def recorded(folder: Path) -> tuple[Recorded, ...]:
    """The folder's runs in order of their names; `01-chat_why-is-the-sky-blue` reads as
    “Chat: why is the sky blue”."""
    return tuple(Recorded(_label(path), path) for path in sorted(folder.glob(f"*{SUFFIX}")))


def _label(path: Path) -> str:
    stem = path.name.removesuffix(SUFFIX).lstrip("0123456789").lstrip("-_ ")
    category, _, title = stem.partition("_")
    name = f"{category}: {title}" if title else category
    name = name.replace("-", " ").replace("_", " ").strip()
    return name[:1].upper() + name[1:] or path.name


@lru_cache(maxsize=16)
def opened(run: Recorded) -> Comparison:
    """The comparison in a recorded run's file."""
    return Comparison(run.label, load_traces(run.path), run.path, run.slug)


def uploaded(path: Path) -> Comparison:
    """The comparison in a visitor's file. Raises TraceError with one line for the visitor."""
    if path.stat().st_size > MAX_UPLOAD:
        raise TraceError(f"{path.name} is larger than {MAX_UPLOAD >> 20} MiB")
    traces = load_traces(path)
    if max(Counter(trace.config.method for trace in traces).values()) > MOST_ALIKE:
        raise TraceError(f"{path.name} has more than {MOST_ALIKE} runs of one method")
    if len({trace.prompt_ids for trace in traces}) > 1:
        raise TraceError(f"{path.name} has runs of different prompts")
    if not all(map(_is_whole, traces)):
        raise TraceError(f"{path.name} has a run that does not fit together")
    return Comparison(_label(path), traces, path)


def _is_whole(trace: Trace) -> bool:
    """Whether the run's numbers can be reckoned; a file may point at nodes that it lacks."""
    try:
        return summary(trace).new_tokens > 0 and len(trace.emitted) == len(trace.output_ids)
    except (IndexError, ValueError, ZeroDivisionError):
        return False
