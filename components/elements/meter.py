"""A line of text over a thin bar: how far something is."""

from components.elements.element import Element


class Meter(Element):
    """Value: `reading(…)`."""

    template = "<div class='meter' role='status'></div>"
    script = "meter"


def reading(text: str, fraction: float | None = None, is_error: bool = False) -> dict:
    """`fraction` None hides the bar."""
    return {"text": text, "fraction": fraction, "error": is_error}
