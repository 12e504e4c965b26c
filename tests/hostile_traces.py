"""Runs whose every text wants to be something else: markup, a script, a template, a broken line."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle

from fake_live import FakeLive
from sample_traces import sample_traces

from eagley_core.config import DecodeConfig
from eagley_core.progress import Progress
from eagley_core.trace import Trace

LONG = "long" * 2_500  # one token of 10,000 characters
HOSTILE = (
    "<img src=x onerror=\"window.hacked='img'\">",
    "<script>window.hacked='script'</script>",
    "</script><script>window.hacked='closing'</script>",
    "<!--",
    "${window.hacked='template'}",
    "`+(window.hacked='backtick')+`",
    "{{constructor.constructor(\"window.hacked='handlebars'\")()}}",
    "<a href=\"javascript:window.hacked='link'\">x</a>",
    "<b>bold</b><br>&lt;i&gt;&amp;",
    "'\"><svg onload=\"window.hacked='svg'\">",
    "$\\frac{1}{2}$ %{x} %{customdata[0]}",
    "\u202eright to left\u202c\u200f",
    "\u2028\u2029\x00\x1b[31m\u200b\ufeff",
    "מילה عربي 🦅\U000e0041",
    LONG,
)
SEEN = [text for text in HOSTILE if text.isprintable() and text != LONG]  # drawn as they are
NAME = "<img src=x onerror=\"window.hacked='name'\"> ${window.hacked='name'}"


def hostile(trace: Trace) -> Trace:
    """The run with hostile texts for its tokens, prompt, name and models."""
    texts = tuple((token, text) for (token, _), text in zip(trace.texts, cycle(HOSTILE)))
    by_id = dict(texts)
    return replace(
        trace,
        name=NAME,
        prompt="".join(HOSTILE),
        target=NAME,
        draft=trace.draft and NAME,
        environment=replace(trace.environment, device=NAME, processor=NAME, numerics=NAME),
        pieces=tuple(by_id[token] for token in trace.output_ids),
        texts=texts,
    )


def hostile_traces() -> tuple[Trace, ...]:
    return tuple(map(hostile, sample_traces()))


class HostileLive(FakeLive):
    """An engine that streams hostile texts."""

    def stream(
        self, prompt: str, config: DecodeConfig, cancelled: Callable[[], bool]
    ) -> Iterator[Progress | Trace]:
        texts = cycle(HOSTILE)
        for item in super().stream(prompt, config, cancelled):
            if isinstance(item, Trace):
                yield hostile(item)
            else:
                yield item._replace(tokens=tuple((next(texts), by) for _, by in item.tokens))
