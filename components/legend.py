"""The keys to the marks, as constant HTML: how sources and verdicts look, apart from colour."""

from collections.abc import Iterable

from components.marks import DRAWN

SHAPES = {
    "accepted": ("A", "accepted", '<circle cx="9" cy="9" r="7.5"/>'),
    "rejected": ("R", "rejected", '<rect x="2" y="2" width="14" height="14"/>'),
    "untested": ("U", "not tested", '<path d="M9 1l8 8-8 8-8-8z"/>'),
    "bonus": ("B", "bonus", '<path d="M5 2h8l4 7-4 7H5L1 9z"/>'),
}
SIZES = "Shade: the target's probability. Size: what was expected before the target saw it."


def source_legend(found: Iterable[str]) -> str:
    """How tokens of these sources are marked in the lanes."""
    keys = (
        f'<span class="key"><span class="swatch {source}">token</span>{DRAWN[source].words}</span>'
        for source in found
    )
    return f'<div class="legend">{"".join(keys)}</div>'


def tree_legend(found: Iterable[str]) -> str:
    """How nodes, and edges to nodes of these sources, are marked in the trees."""
    nodes = "".join(_node(name, *shape) for name, shape in SHAPES.items())
    lines = "".join(map(_line, found))
    return f'<div class="legend">{nodes}{lines}<span class="key">{SIZES}</span></div>'


def _node(name: str, letter: str, text: str, shape: str) -> str:
    mark = f'<text x="9" y="12.5" text-anchor="middle">{letter}</text>'
    svg = f'<svg class="{name}" width="18" height="18" aria-hidden="true">{shape}{mark}</svg>'
    return f'<span class="key">{svg}{text}</span>'


def _line(source: str) -> str:
    mark = DRAWN[source]
    line = f'<path d="M1 9h24" stroke-dasharray="{mark.strokes}"/>'
    svg = f'<svg class="line {source}" width="26" height="18" aria-hidden="true">{line}</svg>'
    return f'<span class="key">{svg}{mark.short}</span>'
