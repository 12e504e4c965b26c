"""The visitor's own prompt: settings, Run and Stop, and the stream into the lanes."""

import json
from typing import NamedTuple

import gradio as gr

from components.elements.meter import Meter, reading
from components.elements.tokens import LIVE, empty
from components.live import Live
from components.live_run import COUPLINGS, NAMES, SECOND, USUAL, Frame, Settings
from components.offers import further_channels, offered_rules
from components.panels.lanes import METHODS
from components.selection import Lane
from components.words import ENGLISH, Phrase, Words

OFF = Phrase("Live runs are switched off; the recorded runs below are complete.")
EXAMPLES = {  # in English in both languages: so is the default model
    Phrase("Explain"): "Explain in a few sentences why the sky is blue.",
    Phrase("Code"): "Write a Python function that returns the n-th Fibonacci number.",
    Phrase("Mathematics"): "A train travels 60 km in 45 minutes. What is its speed in km/h? "
    "Show how.",
    Phrase("List"): "List five differences between cats and dogs.",
}


class LivePanel(NamedTuple):
    inputs: tuple[gr.components.Component, ...]
    run: gr.Button
    stop: gr.Button
    meter: Meter


def build(live: Live | None, is_open: bool, say: Words = ENGLISH) -> LivePanel:
    """A drawer for the visitor's own prompt."""
    off = why_off(live, say)
    with gr.Accordion(say("Run your own prompt"), open=is_open, elem_id="live"):
        with gr.Row():
            with gr.Column(scale=3, min_width=300):
                prompt = gr.Textbox(
                    label=say("Prompt"),
                    lines=4,
                    max_lines=10,
                    placeholder=say("Ask something"),
                    elem_id="prompt",
                )
                _examples(prompt, say)
            with gr.Column(scale=2, min_width=300):
                settings = _settings(say)
        choices = (*_choices(say), *_second(say))
        with gr.Row(elem_classes="run-row"):
            run = gr.Button(
                say("Run"), variant="primary", interactive=not off, elem_id="run", scale=0
            )
            stop = gr.Button(say("Stop"), interactive=False, elem_id="stop", scale=0)
            meter = Meter(reading(off or ""), elem_id="meter", scale=6)
    return LivePanel((prompt, *settings, *choices), run, stop, meter)


def _examples(prompt: gr.Textbox, say: Words) -> None:
    with gr.Row(elem_classes="examples"):
        for label, text in EXAMPLES.items():
            button = gr.Button(say(label), size="sm", min_width=80)
            button.click(None, None, prompt, js=f"() => {json.dumps(text)}")


def _settings(say: Words) -> tuple:
    lanes = gr.CheckboxGroup(
        [(say(NAMES[m]), m) for m in METHODS], value=list(METHODS), label=say("Lanes")
    )
    length = gr.Slider(8, 256, 64, step=8, label=say("New tokens at most"))
    with gr.Row():
        temperature = gr.Slider(0, 1.5, 0, step=0.1, label=say("Temperature"), min_width=150)
        seed = gr.Number(0, label=say("Seed"), precision=0, minimum=0, min_width=100)
    return lanes, temperature, seed, length


def _choices(say: Words) -> tuple:
    """How drafted tokens are accepted, and what EAGLEY keeps."""
    with gr.Accordion(say("Rule and channels"), open=False, elem_id="choices"):
        with gr.Row():
            rule = _rule(say, "rule")
            coupling = gr.Radio(
                [(say(name), name) for name in COUPLINGS],
                value="auto",
                label=say("Coupled drafting"),
                info=say(
                    "Candidates ranked with the noise that decides; auto: with a temperature."
                ),
                min_width=220,
            )
        channels = gr.CheckboxGroup(
            list(USUAL), value=list(USUAL), label=say("EAGLEY's channels"), elem_id="channels"
        )
        with gr.Accordion(say("More channels"), open=False):
            more = gr.CheckboxGroup(
                further_channels(),
                label=say("Parts, controls and approximate channels"),
                info=say(
                    "shared-kv needs an early-exit draft; draft-kv:none, draft-kv:new and "
                    "stale-kv change the output."
                ),
            )
    return rule, channels, more, coupling


def _rule(say: Words, elem_id: str) -> gr.Dropdown:
    return gr.Dropdown(
        offered_rules(),
        value="exact",
        label=say("Acceptance rule"),
        info=say(
            "exact gives vanilla's tokens, speculative its distribution; the others are "
            "approximate. Other numbers can be typed."
        ),
        allow_custom_value=True,
        min_width=220,
        elem_id=elem_id,
    )


def _second(say: Words) -> tuple:
    """EAGLEY once more, with other settings, to compare the two."""
    with gr.Accordion(say("A second EAGLEY"), open=False, elem_id="second"):
        has_second = gr.Checkbox(
            False,
            label=say("Run EAGLEY once more, with the settings below"),
            elem_id="has-second",
        )
        with gr.Row():
            rule = _rule(say, "second-rule")
            channels = gr.CheckboxGroup(
                [*USUAL, *further_channels()],
                value=[],
                label=say("Its channels"),
                min_width=320,
                elem_id="second-channels",
            )
    return has_second, rule, channels


def why_off(live: Live | None, say: Words = ENGLISH) -> str | None:
    """Why there are no live runs now; None when there are."""
    reason = OFF if live is None else live.state()
    return None if reason is None else say(reason)


def blank(settings: Settings, say: Words = ENGLISH) -> dict[Lane, dict]:
    """The texts of the lanes that will run, when a run begins."""
    lanes = [method for method in METHODS if method in settings.methods]
    lanes += [SECOND] if settings.has_second else []
    return {lane: empty(say("Waits for its turn.")) for lane in lanes}


def streamed_lane(frame: Frame, say: Words = ENGLISH) -> dict:
    """The text of the lane that is running."""
    if not frame.tokens:
        return empty(say("Starting."))
    return {"key": f"{LIVE}{frame.lane}", "tokens": list(frame.tokens), "empty": ""}
