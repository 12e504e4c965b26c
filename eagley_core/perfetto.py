"""Runs as Chrome trace events, the JSON that Perfetto and chrome://tracing open.

Each lane is a process with a track of steps, one track per phase, and counters. Times are
microseconds since the lane's prefill began. Format: "Trace Event Format", the object form.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from eagley_core.trace import Step, Trace

TRACKS = ("step", "draft", "verify", "accept", "commit")  # thread 1, 2, …
Event = dict[str, Any]


def perfetto(traces: Sequence[Trace]) -> dict[str, Any]:
    """The document of one run, or of the runs of one comparison."""
    events = [e for pid, trace in enumerate(traces, start=1) for e in _lane(pid, trace)]
    return {"displayTimeUnit": "ms", "otherData": _about(traces[0]), "traceEvents": events}


def _about(trace: Trace) -> dict[str, str]:
    made = trace.environment
    return {
        "name": trace.name,
        "prompt": trace.prompt,
        "target": trace.target,
        "device": made.device,
        "dtype": made.dtype,
        "processor": made.processor,
    }


def _lane(pid: int, trace: Trace) -> Iterator[Event]:
    yield _told("process_name", pid, 0, {"name": _label(pid, trace)})
    for tid, track in enumerate(TRACKS, start=1):
        yield _told("thread_name", pid, tid, {"name": track})
        # Tracks are shown in the order of the phases, not of their first events.
        yield _told("thread_sort_index", pid, tid, {"sort_index": tid})
    for step in trace.steps:
        yield from _slices(pid, trace, step)
        yield from _counters(pid, step)


def _label(pid: int, trace: Trace) -> str:
    """Numbered, because two lanes may have one method."""
    return f"{pid} {trace.label}"


def _told(what: str, pid: int, tid: int, args: Event) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}


def _slices(pid: int, trace: Trace, step: Step) -> Iterator[Event]:
    """The step as a whole, and its phases one after another."""
    name = "prefill" if step.kind == "prefill" else f"step {step.index}"
    whole = {"ph": "X", "name": name, "pid": pid, "tid": 1, "args": _facts(trace, step)}
    yield whole | _span(step.started, step.seconds)
    begin = step.started
    for tid, phase in enumerate(TRACKS[1:], start=2):
        length = getattr(step, f"{phase}_seconds")
        if length > 0:
            slice_ = {
                "ph": "X",
                "name": phase,
                "pid": pid,
                "tid": tid,
                "args": {"step": step.index},
            }
            yield slice_ | _span(begin, length)
        begin += length


def _span(begin: float, length: float) -> Event:
    return {"ts": round(1e6 * begin, 3), "dur": round(1e6 * length, 3)}


def _facts(trace: Trace, step: Step) -> Event:
    """What a click on a step shows."""
    texts = trace.token_texts
    facts = {
        "step": step.index,
        "position": step.position,
        "root": texts.get(step.root_id, ""),
        "nodes": len(step.nodes),
        "rows": step.rows,
        "draft_passes": step.draft_passes,
        "accepted": [texts.get(step.nodes[i].token_id, "") for i in step.accepted],
        "sources": [step.nodes[i].source for i in step.accepted],
        "bonus": texts.get(step.bonus_id, ""),
        "emitted": step.emitted,
    }
    if step.estimate:
        facts["expected_tokens"] = step.estimate.tokens
        facts["expected_ms"] = 1000 * (step.estimate.draft_seconds + step.estimate.verify_seconds)
    return facts


def _counters(pid: int, step: Step) -> Iterator[Event]:
    """Values from a step's start on."""
    values = {"accepted length": len(step.accepted) + 1, "rows": step.rows}
    values["store bytes"] = step.store_bytes
    for name, value in values.items():
        counter = {"ph": "C", "name": name, "pid": pid, "tid": 0, "args": {name: value}}
        yield counter | {"ts": round(1e6 * step.started, 3)}
