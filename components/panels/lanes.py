"""Each run's text, token by token, and its numbers; and which lanes are shown."""

from html import escape
from typing import Any, Final, NamedTuple, get_args

import gradio as gr

from components.elements.facts import Facts, fact_list
from components.elements.tokens import Tokens, empty, token_list
from components.lane_labels import lane_labels
from components.legend import source_legend
from components.marks import in_text
from components.numbers import headline, numbers
from components.outcome import ending, hardware, identity
from components.panels.panel import Panel
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.config import DecodeConfig, Method
from eagley_core.reuse import is_exact

METHODS: Final[tuple[Method, ...]] = get_args(Method)
SLOTS: Final[dict[Lane, Method]] = {
    name: method for method in METHODS for name in (method, f"{method}-2")
}
LABELS: Final = {
    "vanilla": Phrase("Vanilla"),
    "eagle": Phrase("EAGLE"),
    "eagley": Phrase("EAGLEY"),
}
SUBTITLES: Final = {
    "vanilla": Phrase("one target pass per token"),
    "eagle": Phrase("drafts a tree, verifies it in one pass"),
    "eagley": Phrase("EAGLE, and reuses what was rejected"),
}


class LaneParts(NamedTuple):
    head: gr.HTML
    tokens: Tokens
    figures: Facts


class Lanes(NamedTuple):
    lanes: dict[Lane, LaneParts]
    keys: gr.HTML
    shown: gr.CheckboxGroup  # which lanes of the comparison are seen
    panel: Panel


def build(comparison: Comparison | None, say: Words = ENGLISH) -> Lanes:
    """Lanes side by side. One without any text is folded away by the stylesheet: it stays in the
    page, so that its script goes on following."""
    with gr.Row(elem_classes="lane-bar"):
        keys = gr.HTML(legend(comparison, say))
        shown = gr.CheckboxGroup(
            **choice(comparison, comparison, say),
            label=say("Lanes shown"),
            elem_id="lanes-shown",
            scale=0,
            min_width=260,
        )
    with gr.Row(elem_classes="lanes"):
        lanes = {slot: _lane(slot, comparison, say) for slot in SLOTS}
    parts = [part for lane in lanes.values() for part in lane]
    return Lanes(lanes, keys, shown, Panel((*parts, keys), lambda found: opened(found, say)))


def choice(
    every: Comparison | None, some: Comparison | None, say: Words = ENGLISH
) -> dict[str, Any]:
    """The lanes to choose from, and those that are seen."""
    labels = lane_labels(every, say) if every else {}
    return {
        "choices": [(label, name) for name, label in labels.items()],
        "value": list(some.lanes) if some else [],
        "visible": len(labels) > 1,
    }


def _lane(slot: Lane, comparison: Comparison | None, say: Words) -> LaneParts:
    with gr.Column(min_width=300, elem_classes="lane", elem_id=f"lane-{slot}"):
        head = gr.HTML(heading(comparison, slot, say), elem_classes="lane-head")
        label = say("{lane} output", lane=say(LABELS[SLOTS[slot]]))
        tokens = Tokens(text(comparison, slot), method=slot, label=label, say=say)
        figures = Facts(figure_list(comparison, slot, say), fold=say("All numbers"))
    return LaneParts(head, tokens, figures)


def opened(comparison: Comparison, say: Words = ENGLISH) -> tuple:
    """Every lane's heading, text and numbers, and the key to the sources."""
    parts = (
        part
        for slot in SLOTS
        for part in (
            heading(comparison, slot, say),
            text(comparison, slot),
            figure_list(comparison, slot, say),
        )
    )
    return (*parts, legend(comparison, say))


def legend(comparison: Comparison | None, say: Words = ENGLISH) -> str:
    return source_legend(in_text(comparison.traces if comparison else ()), say)


def heading(comparison: Comparison | None, slot: Lane, say: Words = ENGLISH) -> str:
    """A lane's name, what it does, and its settings, if it was run."""
    method = SLOTS[slot]
    trace = comparison.lanes.get(slot) if comparison else None
    label = lane_labels(comparison, say)[slot] if trace else say(LABELS[method])
    told = (settings_of(trace.config, say), hardware(trace, say)) if trace else ()
    own = "".join(f'<p class="how">{escape(line)}</p>' for line in told if line)
    return f"<h2>{escape(label)}</h2><p>{say(SUBTITLES[method])}</p>{own}"


def settings_of(config: DecodeConfig, say: Words = ENGLISH) -> str:
    """The rule unless it is exact, whether drafting was coupled, and the channels in use."""
    if config.method == "vanilla":
        return ""
    parts = [_rule(config, say)] if config.rule.name != "exact" else []
    if config.is_coupled:
        parts.append(say("coupled"))
    if config.method == "eagley":
        channels = ", ".join(config.reuse)
        parts.append(say("channels: {channels}", channels=channels or say("none")))
        parts += [] if is_exact(config.reuse) else [say("approximate rows")]
    return " · ".join(parts)


def _rule(config: DecodeConfig, say: Words) -> str:
    if config.rule.is_lossless:
        return say("rule {rule} (lossless in distribution)", rule=config.rule)
    return say("rule {rule} (approximate)", rule=config.rule)


def text(comparison: Comparison | None, slot: Lane) -> dict:
    trace = comparison.lanes.get(slot) if comparison else None
    return empty("") if trace is None else token_list(trace)


def figure_list(comparison: Comparison | None, slot: Lane, say: Words = ENGLISH) -> dict:
    """A lane's speed, whether its text is vanilla's, and all its numbers."""
    trace = comparison.lanes.get(slot) if comparison else None
    if trace is None:
        return fact_list("", ())
    vanilla = comparison.lanes.get("vanilla")
    note = say(" ").join((identity(trace, vanilla, say), ending(trace, say)))
    return fact_list(headline(trace, vanilla, say), numbers(trace, vanilla, say), note)
