"""Browser components: a constant template, drawn by a script of the same name in `assets/`."""

from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

import gradio as gr

from components.words import ENGLISH, Words, scripted

ASSETS: Final = Path(__file__).resolve().parents[2] / "assets"
# What all elements share, in the order in which it must run: the selection, the data, the keys.
SHARED: Final = (
    *("store", "packets", "address", "dom", "walk", "keys", "formulas"),
    *("hint", "colour", "plot", "drawing", "canvas"),
)


class Element(gr.HTML):
    """A gr.HTML whose template never changes: data reaches its script as `value` and props.

    Templates are compiled to JavaScript in the browser, so text of a model must never get into one.
    Option `say`: the words of the page; those of the script become its prop `words`.
    """

    template: ClassVar[str]
    script: ClassVar[str]
    defaults: ClassVar[dict] = {}  # what the script reads beside the value

    def __init__(self, value: Any = None, **options: Any) -> None:
        # Props stay out of the signature: Gradio would look each parameter up as an attribute, and
        # `gr.HTML` answers with an event.
        options = type(self).defaults | options
        words = translated(self.script, options.pop("say", ENGLISH))
        # Gradio builds updates by calling the class again with the settings of the first call.
        options.setdefault("words", words)
        options.setdefault("html_template", self.template)
        options.setdefault("css_template", asset(f"{self.script}.css"))
        options.setdefault("js_on_load", asset(f"{self.script}.js"))
        options.setdefault("apply_default_css", False)
        super().__init__(value=value, **options)

    def api_info(self) -> dict:
        return {"type": "object"}


def translated(script: str, say: Words) -> dict[str, str]:
    """The sentences that a script says, in the page's language."""
    return {sentence: say(sentence) for sentence in scripted(asset(f"{script}.js"))}


@cache
def asset(name: str) -> str:
    """The text of a file in `assets/`."""
    return (ASSETS / name).read_text("utf-8")


def scripts() -> str:
    """The scripts and rules that all elements share, for the page's head."""
    parts = [f"<script>{enclosed(name)}</script>" for name in SHARED]
    return "\n".join([f"<style>{asset('shared.css')}</style>", *parts])


def enclosed(name: str) -> str:
    """A shared script whose names stay its own."""
    return f"(() => {{\n'use strict';\n{asset(f'{name}.js')}\n}})();"
