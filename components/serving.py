"""What the browser asks the server for while somebody looks at a run: packets and charts.

The questions have no session. Each is one list, and each answer JSON text, made once and kept for
whoever asks next. What cannot be answered is {"error": one line}.
"""

import json
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from starlette.responses import Response

from components.charts import chart as drawn
from components.figures.draft_tree import Extent, extent
from components.library import Library
from components.packets import as_recorded, judged, packet
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words
from eagley_core.rule import Rule
from eagley_core.trace import Trace

MOST_STEPS = 64  # per question
JSON = "application/json"


def server_functions(library: Library, say: Words = ENGLISH) -> list[Callable]:
    """`packets`, `chart` and `judge`, as the Navigator takes them."""

    @lru_cache(maxsize=256)
    def room(key: str) -> Extent:
        found = library.find(key)
        trees = [found.lanes[name] for name in found.trees if name]
        return extent(trees or found.traces)

    @lru_cache(maxsize=2048)
    def step(key: str, lane: Lane, index: int) -> str:
        found = library.find(key)
        return _text(packet(found.lanes[lane], index, room(key), _other(found, lane), say))

    @lru_cache(maxsize=64)
    def figure(key: str, name: str) -> str:
        return _text(drawn(library.find(key), name, say))

    def packets(question: list) -> str:
        key, lane, first, stop = question
        steps = range(len(library.find(key).lanes[lane].steps))
        return f"[{','.join(step(key, lane, i) for i in steps[first:stop][:MOST_STEPS])}]"

    def chart(question: list) -> str:
        key, name = question
        return figure(key, name)

    def judge(question: list) -> str:
        key, lane, index, text = question
        trace = library.find(key).lanes[lane]
        number = trace.steps[index].index
        if not (text or "").strip():
            return step(key, lane, number)
        return _text(_judged(trace, number, text, room(key), say))

    return [answering(question, say) for question in (packets, chart, judge)]


def _judged(trace: Trace, step: int, text: str, room: Extent, say: Words) -> dict[str, Any]:
    """The step under a rule that somebody typed; as it was where that is none."""
    try:
        return judged(trace, step, Rule.parse(text.strip()), room, say)
    except ValueError as error:
        return as_recorded(trace, step, error, room, say)


def _other(comparison: Comparison, lane: Lane) -> Trace | None:
    """The lane whose tree stands beside this one's."""
    left, right = comparison.trees
    if lane not in (left, right):
        return None
    other = right if lane == left else left
    return comparison.lanes[other] if other else None


def _text(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def answering(question: Callable[[list], str], say: Words) -> Callable[[list], Response]:
    """Answers with text that Gradio hands on as it is; trouble becomes one line."""

    @wraps(question)
    def answer(asked: list) -> Response:
        try:
            text = question(asked)
        except (LookupError, ValueError, TypeError, OSError) as error:
            text = _text({"error": say(_line(error))})
        return Response(text, media_type=JSON)

    return answer


def _line(error: Exception) -> str:
    """KeyError shows its argument as code: it is a lane that the run has not."""
    if isinstance(error, KeyError):
        return f"there is no {error.args[0]} here"
    return (str(error).strip() or type(error).__name__).splitlines()[0]
