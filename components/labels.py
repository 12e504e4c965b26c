"""Token text made visible and safe to draw."""

import re
from html import escape

LONGEST = 14  # characters beside a node


def visible(text: str) -> str:
    """Blanks and line ends get a glyph, so that every token can be seen."""
    shown = text.replace("\n", "↵").replace("\t", "⇥")
    stripped = shown.strip(" ")
    if not stripped:
        return "·" * len(shown) or "∅"
    lead = len(shown) - len(shown.lstrip(" "))
    trail = len(shown) - len(shown.rstrip(" "))
    return "·" * lead + stripped + "·" * trail


def short(text: str) -> str:
    """A visible token, cut to fit beside a node; of many blanks only their number is shown."""
    shown = re.sub("·{4,}", lambda blanks: f"·×{len(blanks.group())}", visible(text))
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def drawn(text: str) -> str:
    """Text for a Plotly label, which would read `<b>` as markup."""
    return escape(text, quote=False)


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return "<0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def quantity(number: float | None, digits: int = 2) -> str:
    return "–" if number is None else f"{number:,.{digits}f}"


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def size(n_bytes: int) -> str:
    """Bytes in the largest binary unit that leaves at least one."""
    number, units = float(n_bytes), ["B", "KiB", "MiB", "GiB"]
    while number >= 1024 and len(units) > 1:
        number, units = number / 1024, units[1:]
    return f"{number:,.0f} {units[0]}" if units[0] == "B" else f"{number:,.1f} {units[0]}"
