"""The data of an exported page: packed blocks that no text can break out of."""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from components.charts import Chart, chart
from components.elements.element import Element, translated
from components.elements.viewer import PLOTLY_JS
from components.figures.draft_tree import extent
from components.packets import packet
from components.selection import Comparison, Lane
from components.words import Words

STEPS: Final = 16  # per block, as the file's own script reads them


class Elements:
    """Hands out the places of elements and remembers what their scripts get."""

    def __init__(self, say: Words) -> None:
        self.say = say
        self.placed: list[dict[str, Any]] = []

    def __call__(self, kind: type[Element], value: Any = None, **props: Any) -> str:
        """The HTML of one more element."""
        words = translated(kind.script, self.say)
        props = {**kind.defaults, **props, "value": value, "words": words}
        self.placed.append({"script": kind.script, "template": kind.template, "props": props})
        return f'<div class="el-{kind.script}" data-element="{len(self.placed) - 1}"></div>'


def data_blocks(
    comparison: Comparison, charts: Mapping[str, Chart], placed: list[dict], say: Words
) -> str:
    """Elements, charts, every step of every lane, and plotly.js."""
    blocks = [_packed("elements", placed), _block("plotly", PLOTLY_JS.read_bytes())]
    blocks += [_packed(f"chart-{name}", chart(comparison, name, say)) for name in charts]
    blocks += [block for lane in comparison.lanes for block in _steps(comparison, lane, say)]
    return "\n".join(blocks)


def _steps(comparison: Comparison, lane: Lane, say: Words) -> Iterator[str]:
    trace, other = comparison.lanes[lane], _beside(comparison, lane)
    room = extent(t for t in comparison.traces if t.config.method != "vanilla")
    for first in range(0, len(trace.steps), STEPS):
        steps = range(first, min(first + STEPS, len(trace.steps)))
        packets = [packet(trace, step, room, other, say) for step in steps]
        yield _packed(f"packets-{lane}-{first // STEPS}", packets)


def _beside(comparison: Comparison, lane: Lane) -> Any:
    """The run whose tree stands beside the lane's, if one does."""
    left, right = comparison.trees
    other = {left: right, right: left}.get(lane)
    return None if other is None else comparison.lanes[other]


def _packed(name: str, payload: Any) -> str:
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _block(name, text.encode("utf-8"))


def _block(name: str, content: bytes) -> str:
    packed = b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
    return f'<script type="text/plain" id="{escape(name)}">{packed}</script>'
