"""The learning curve as a drawing that needs nothing else: loss, and acceptance by depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH, HEIGHT = 360, 220  # of one panel's axes
LEFT, TOP, GAP = 56, 30, 80
TICKS = 4
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito
GREY = "#777777"  # readable on white and on black


@dataclass(frozen=True)
class Line:
    """One line of a panel: a value for each point of the curve."""

    name: str
    values: Sequence[float]


def learning_curve(curve: Sequence[dict[str, Any]]) -> str:
    """An SVG document of a run's curve; each point has tokens seen, loss, acceptance by depth."""
    tokens = [point["tokens_seen"] for point in curve]
    depths = zip(*(point["acceptance_by_depth"] for point in curve), strict=True)
    shares = [Line(f"depth {n}", values) for n, values in enumerate(depths, 1)]
    loss = [Line("loss", [point["loss"] for point in curve])]
    right = LEFT + WIDTH + GAP
    width, height = right + WIDTH + 20, TOP + HEIGHT + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="{GREY}">',
        "<title>Loss, and acceptance by depth on held-out conversations</title>",
        *_panel(LEFT, "training loss", tokens, loss, max([1.0, *loss[0].values])),
        *_panel(right, "acceptance, held out", tokens, shares, 1.0),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _panel(
    left: int, title: str, tokens: Sequence[int], lines: Sequence[Line], top: float
) -> list[str]:
    most = max([1, *tokens])
    parts = [f'<text x="{left}" y="{TOP - 12}">{escape(title)}</text>']
    for n in range(TICKS + 1):
        share = n / TICKS
        y, x = TOP + HEIGHT * (1 - share), left + WIDTH * share
        parts += [
            f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="{GREY}" stroke-opacity="0.25"/>',
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{top * share:.2f}</text>',
            f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">'
            f"{most * share / 1e6:.2f}</text>",
        ]
    middle, below = left + WIDTH / 2, TOP + HEIGHT + 38
    parts.append(f'<text x="{middle}" y="{below}" text-anchor="middle">million tokens seen</text>')
    for line, color in zip(lines, COLORS, strict=False):
        places = [
            f"{left + WIDTH * x / most:.1f},{TOP + HEIGHT * (1 - y / top):.1f}"
            for x, y in zip(tokens, line.values, strict=True)
        ]
        parts.append(
            f'<polyline points="{" ".join(places)}" fill="none" stroke="{color}" '
            f'stroke-width="2"><title>{escape(line.name)}</title></polyline>'
        )
    return parts + _legend(left, lines)


def _legend(left: int, lines: Sequence[Line]) -> list[str]:
    """Names in their lines' colours, from the right."""
    return [
        f'<text x="{left + WIDTH - 52 * n}" y="{TOP - 12}" text-anchor="end" '
        f'fill="{color}">{escape(line.name)}</text>'
        for n, (line, color) in enumerate(zip(lines, COLORS, strict=False))
    ]
