"""How the lanes of a comparison are told apart in a chart that has them all."""

from collections import Counter
from textwrap import wrap
from typing import Final, NamedTuple

from components import theme
from components.labels import drawn
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words


class Look(NamedTuple):
    """A lane's label, the colour role of its marks and the dash of its lines."""

    label: str
    role: str
    dash: str


FURTHER: Final = (  # of later lanes of a method
    ("recycled", "longdash"),
    ("suffix", "dashdot"),
    ("bonus", "longdashdot"),
    ("rejected", "dot"),
)


WIDEST: Final = 26  # characters of a line


def drawn_labels(comparison: Comparison, say: Words = ENGLISH) -> dict[Lane, str]:
    """Labels as a figure takes them: free of markup, and wrapped where settings make them long."""
    labels = lane_labels(comparison, say)
    return {name: "<br>".join(map(drawn, wrap(text, WIDEST))) for name, text in labels.items()}


def lane_looks(comparison: Comparison, say: Words = ENGLISH) -> dict[Lane, Look]:
    """A method's first lane looks as that method does everywhere; later ones differ from it."""
    labels, seen, further, found = drawn_labels(comparison, say), Counter(), 0, {}
    for name, trace in comparison.lanes.items():
        method = trace.config.method
        look = theme.LANE_COLOURS[method], theme.LANE_DASHES[method]
        if seen[method]:
            look = FURTHER[further % len(FURTHER)]
            further += 1
        seen[method] += 1
        found[name] = Look(labels[name], *look)
    return found
