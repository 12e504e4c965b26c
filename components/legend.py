"""The keys to the marks, as constant HTML: how sources and verdicts look, apart from colour."""

from collections.abc import Iterable

from components.marks import DRAWN
from components.words import ENGLISH, Phrase, Words

SHAPES = {
    "accepted": ("A", Phrase("accepted"), '<circle cx="9" cy="9" r="7.5"/>'),
    "rejected": ("R", Phrase("rejected"), '<rect x="2" y="2" width="14" height="14"/>'),
    "untested": ("U", Phrase("not tested"), '<path d="M9 1l8 8-8 8-8-8z"/>'),
    "bonus": ("B", Phrase("bonus"), '<path d="M5 2h8l4 7-4 7H5L1 9z"/>'),
}
KEPT = Phrase("↰s12·3: kept from node 3 of step 12; r: its root; p: the prompt")
SIZES = Phrase("Shade: the target's probability. Size: what was expected before the target saw it.")


def source_legend(found: Iterable[str], say: Words = ENGLISH) -> str:
    """How tokens of these sources are marked in the lanes."""
    token = say("token")
    keys = (
        f'<span class="key"><span class="swatch {source}">{token}</span>'
        f"{say(DRAWN[source].words)}</span>"
        for source in found
    )
    return f'<div class="legend">{"".join(keys)}</div>'


def tree_legend(found: Iterable[str], say: Words = ENGLISH) -> str:
    """How nodes, and edges to nodes of these sources, are marked in the trees."""
    nodes = "".join(_node(name, *shape, say) for name, shape in SHAPES.items())
    lines = "".join(_line(source, say) for source in found)
    notes = "".join(f'<span class="key">{say(text)}</span>' for text in (KEPT, SIZES))
    return f'<div class="legend">{nodes}{lines}{notes}</div>'


def _node(name: str, letter: str, text: Phrase, shape: str, say: Words) -> str:
    mark = f'<text x="9" y="12.5" text-anchor="middle">{letter}</text>'
    svg = f'<svg class="{name}" width="18" height="18" aria-hidden="true">{shape}{mark}</svg>'
    return f'<span class="key">{svg}{say(text)}</span>'


def _line(source: str, say: Words) -> str:
    mark = DRAWN[source]
    line = f'<path d="M1 9h24" stroke-dasharray="{mark.strokes}"/>'
    svg = f'<svg class="line {source}" width="26" height="18" aria-hidden="true">{line}</svg>'
    return f'<span class="key">{svg}{say(mark.short)}</span>'
