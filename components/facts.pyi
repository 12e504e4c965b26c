"""A short list of facts, written as plain text."""

from collections.abc import Iterable

from components.element import Element

from gradio.events import Dependency

class Facts(Element):
    """Value: {"title", "note", "rows": [[label, value, definition], …]}."""

    template = "<div class='facts'></div>"
    script = "facts"
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component


def fact_list(title: str, rows: Iterable[tuple], note: str = "") -> dict:
    """Rows are (label, value) or (label, value, definition shown on hover)."""
    return {"title": title, "note": note, "rows": [[*row, ""][:3] for row in rows]}