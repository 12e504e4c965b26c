"""A short list of facts, written as plain text."""

from collections.abc import Iterable
from typing import ClassVar

from components.elements.element import Element


class Facts(Element):
    """Value: {"title", "note", "rows": [[label, value, definition], …]}.

    With `fold`, a label, the rows are hidden under it until the reader opens them.
    """

    template = "<div class='facts'></div>"
    script = "facts"
    defaults: ClassVar = {"fold": ""}


def fact_list(title: str, rows: Iterable[tuple], note: str = "") -> dict:
    """Rows are (label, value) or (label, value, definition shown on hover)."""
    return {"title": title, "note": note, "rows": [[*row, ""][:3] for row in rows]}
