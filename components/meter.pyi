"""A line of text over a thin bar: how far something is."""

from components.element import Element

from gradio.events import Dependency

class Meter(Element):
    """Value: `reading(…)`."""

    template = "<div class='meter' role='status'></div>"
    script = "meter"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component


def reading(text: str, fraction: float | None = None, is_error: bool = False) -> dict:
    """`fraction` None hides the bar."""
    return {"text": text, "fraction": fraction, "error": is_error}