"""Browser components: a constant template, drawn by a script of the same name in `assets/`."""

from pathlib import Path
from typing import ClassVar

import gradio as gr

ASSETS = Path(__file__).resolve().parent.parent / "assets"

from gradio.events import Dependency

class Element(gr.HTML):
    """A gr.HTML whose template never changes: data reaches its script as `value` and props.

    Templates are compiled to JavaScript in the browser, so text of a model must never get into one.
    """

    template: ClassVar[str]
    script: ClassVar[str]
    defaults: ClassVar[dict] = {}  # what the script reads beside the value

    def __init__(self, value=None, **options) -> None:
        # Props stay out of the signature: Gradio would look each parameter up as an attribute, and
        # `gr.HTML` answers with an event.
        options = type(self).defaults | options
        # Gradio builds updates by calling the class again with the settings of the first call.
        options.setdefault("html_template", self.template)
        options.setdefault("css_template", (ASSETS / f"{self.script}.css").read_text("utf-8"))
        options.setdefault("js_on_load", (ASSETS / f"{self.script}.js").read_text("utf-8"))
        options.setdefault("apply_default_css", False)
        super().__init__(value=value, **options)

    def api_info(self) -> dict:
        return {"type": "object"}
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component