"""The visitor's own prompt: settings, Run and Stop, and the stream into the lanes."""

import json
from typing import NamedTuple

import gradio as gr

from components import theme
from components.live import Live
from components.live_run import COUPLINGS, USUAL, Frame, Settings
from components.meter import Meter, reading
from components.offers import further_channels, offered_rules
from components.old_tokens import empty
from components.panels.lanes import METHODS
from eagley_core.config import Method

OFF = "Live runs are switched off; the recorded runs below are complete."
EXAMPLES = {
    "Explain": "Explain in a few sentences why the sky is blue.",
    "Code": "Write a Python function that returns the n-th Fibonacci number.",
    "Mathematics": "A train travels 60 km in 45 minutes. What is its speed in km/h? Show how.",
    "List": "List five differences between cats and dogs.",
}


class LivePanel(NamedTuple):
    inputs: tuple[gr.components.Component, ...]
    run: gr.Button
    stop: gr.Button
    meter: Meter


def build(live: Live | None, is_open: bool) -> LivePanel:
    """A drawer for the visitor's own prompt."""
    off = why_off(live)
    with gr.Accordion("Run your own prompt", open=is_open, elem_id="live"):
        with gr.Row():
            with gr.Column(scale=3, min_width=300):
                prompt = gr.Textbox(
                    label="Prompt",
                    lines=4,
                    max_lines=10,
                    placeholder="Ask something",
                    elem_id="prompt",
                )
                _examples(prompt)
            with gr.Column(scale=2, min_width=300):
                settings = _settings()
        choices = _choices()
        with gr.Row(elem_classes="run-row"):
            run = gr.Button("Run", variant="primary", interactive=not off, elem_id="run", scale=0)
            stop = gr.Button("Stop", interactive=False, elem_id="stop", scale=0)
            meter = Meter(reading(off or ""), elem_id="meter", scale=6)
    return LivePanel((prompt, *settings, *choices), run, stop, meter)


def _examples(prompt: gr.Textbox) -> None:
    with gr.Row(elem_classes="examples"):
        for label, text in EXAMPLES.items():
            button = gr.Button(label, size="sm", min_width=80)
            button.click(None, None, prompt, js=f"() => {json.dumps(text)}")


def _settings() -> tuple:
    lanes = gr.CheckboxGroup(
        [(theme.LANE_LABELS[m], m) for m in METHODS], value=list(METHODS), label="Lanes"
    )
    length = gr.Slider(8, 256, 64, step=8, label="New tokens at most")
    with gr.Row():
        temperature = gr.Slider(0, 1.5, 0, step=0.1, label="Temperature", min_width=150)
        seed = gr.Number(0, label="Seed", precision=0, minimum=0, min_width=100)
    return lanes, temperature, seed, length


def _choices() -> tuple:
    """How drafted tokens are accepted, and what EAGLEY keeps."""
    with gr.Accordion("Rule and channels", open=False, elem_id="choices"):
        with gr.Row():
            rule = gr.Dropdown(
                offered_rules(),
                value="exact",
                label="Acceptance rule",
                info="exact gives vanilla's tokens, speculative its distribution; the others are "
                "approximate. Other numbers can be typed.",
                allow_custom_value=True,
                min_width=220,
                elem_id="rule",
            )
            coupling = gr.Radio(
                list(COUPLINGS),
                value="auto",
                label="Coupled drafting",
                info="Candidates ranked with the noise that decides; auto: with a temperature.",
                min_width=220,
            )
        channels = gr.CheckboxGroup(
            list(USUAL), value=list(USUAL), label="EAGLEY's channels", elem_id="channels"
        )
        with gr.Accordion("More channels", open=False):
            more = gr.CheckboxGroup(
                further_channels(),
                label="Parts, controls and approximate channels",
                info="shared-kv needs an early-exit draft; draft-kv:none, draft-kv:new and "
                "stale-kv change the output.",
            )
    return rule, channels, more, coupling


def why_off(live: Live | None) -> str | None:
    """Why there are no live runs now; None when there are."""
    return OFF if live is None else live.state()


def blank(settings: Settings) -> dict[Method, dict]:
    """The lanes' texts when a run begins."""
    notes = {m: "Waits for its turn." if m in settings.methods else "Not run." for m in METHODS}
    return {method: empty(note) for method, note in notes.items()}


def streamed_lane(frame: Frame) -> dict:
    """The text of the lane that is running."""
    if not frame.tokens:
        return empty("Starting.")
    return {"key": f"live {frame.method}", "tokens": list(frame.tokens), "empty": ""}
