"""Each method's text, token by token, and its numbers."""

from functools import partial
from html import escape
from typing import get_args

import gradio as gr

from components import theme
from components.facts import Facts, fact_list
from components.legend import source_legend
from components.marks import in_text
from components.numbers import headline, numbers
from components.old_tokens import NOWHERE, Tokens, empty, token_list
from components.outcome import ending, identity
from components.panels.panel import Panel, Source
from components.selection import Comparison, Selection, at_position, place, span
from eagley_core.config import DecodeConfig, Method
from eagley_core.reuse import is_exact

METHODS: tuple[Method, ...] = get_args(Method)
SUBTITLES = {
    "vanilla": "one target pass per token",
    "eagle": "drafts a tree, verifies it in one pass",
    "eagley": "EAGLE, and reuses what was rejected",
}
RULE_KINDS = {True: "lossless in distribution", False: "approximate"}
NOT_RUN = "This lane was not run."


def build(comparison: Comparison | None, selection: Selection) -> Panel:
    """Three lanes side by side."""
    keys = gr.HTML(legend(comparison))
    with gr.Row(elem_classes="lanes"):
        lanes = [_lane(method, comparison, selection) for method in METHODS]
    texts = [tokens for tokens, *_ in lanes]
    return Panel(
        outputs=(*(part for lane in lanes for part in lane), keys),
        opened=opened,
        moving=tuple(texts),
        moved=moved,
        sources=tuple(
            Source(tokens, partial(picked, method))
            for method, tokens in zip(METHODS, texts, strict=True)
        ),
    )


def _lane(method: Method, comparison: Comparison | None, selection: Selection) -> tuple:
    with gr.Column(min_width=300, elem_classes="lane", elem_id=f"lane-{method}"):
        head = gr.HTML(heading(comparison, method), elem_classes="lane-head")
        tokens = Tokens(
            text(comparison, method),
            at=highlight(comparison, selection, method),
            label=f"{theme.LANE_LABELS[method]} output",
        )
        figures = Facts(figure_list(comparison, method))
    return tokens, figures, head


def opened(comparison: Comparison, selection: Selection) -> tuple:
    """Text, numbers and heading of every lane, and the key to the sources in them."""
    parts = (
        update
        for method in METHODS
        for update in (
            gr.update(value=text(comparison, method), at=highlight(comparison, selection, method)),
            figure_list(comparison, method),
            heading(comparison, method),
        )
    )
    return (*parts, legend(comparison))


def legend(comparison: Comparison | None) -> str:
    return source_legend(in_text(comparison.traces if comparison else ()))


def heading(comparison: Comparison | None, method: Method) -> str:
    """A lane's name, what it does, and its settings, if it was run."""
    trace = comparison.lanes.get(method) if comparison else None
    settings = settings_of(trace.config) if trace else ""
    own = f'<p class="how">{escape(settings)}</p>' if settings else ""
    return f"<h2>{theme.LANE_LABELS[method]}</h2><p>{SUBTITLES[method]}</p>{own}"


def settings_of(config: DecodeConfig) -> str:
    """The rule unless it is exact, whether drafting was coupled, and the channels in use."""
    if config.method == "vanilla":
        return ""
    parts = []
    if config.rule.name != "exact":
        parts.append(f"rule {config.rule} ({RULE_KINDS[config.rule.is_lossless]})")
    if config.is_coupled:
        parts.append("coupled")
    if config.method == "eagley":
        parts.append(f"channels: {', '.join(config.reuse) or 'none'}")
        parts += [] if is_exact(config.reuse) else ["approximate rows"]
    return " · ".join(parts)


def moved(comparison: Comparison, selection: Selection) -> tuple:
    """The selected token in every lane."""
    return tuple(gr.update(at=highlight(comparison, selection, method)) for method in METHODS)


def picked(method: Method, comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """A token was clicked."""
    trace = comparison.lanes.get(method, comparison.reference)
    return at_position(selection, trace, int(data["position"]))


def text(comparison: Comparison | None, method: Method) -> dict:
    trace = comparison.lanes.get(method) if comparison else None
    return empty(NOT_RUN) if trace is None else token_list(trace)


def highlight(comparison: Comparison | None, selection: Selection, method: Method) -> dict:
    """Which token is selected in a lane, and which others came with it."""
    trace = comparison.lanes.get(method) if comparison else None
    here = place(trace, selection) if trace else None
    if here is None:
        return NOWHERE
    return {"selected": selection.position, "span": list(span(trace, here.step.index))}


def figure_list(comparison: Comparison | None, method: Method) -> dict:
    """A lane's headline, verdict of identity and numbers."""
    trace = comparison.lanes.get(method) if comparison else None
    if trace is None:
        return fact_list("", ())
    vanilla = comparison.lanes.get("vanilla")
    note = f"{identity(trace, vanilla)} {ending(trace)}"
    return fact_list(headline(trace, vanilla), numbers(trace, vanilla), note)
