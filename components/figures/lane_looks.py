"""How the lanes of a comparison are told apart in a chart that has them all."""

from collections import Counter
from typing import Final, NamedTuple

from components import theme
from components.lane_labels import lane_labels
from components.selection import Comparison, Lane
from components.words import ENGLISH, Words


class Look(NamedTuple):
    """A lane's name, the colour role of its marks and the dash of its lines."""

    label: str
    role: str
    dash: str


FURTHER: Final = (  # of later lanes of a method
    ("recycled", "longdash"),
    ("suffix", "dashdot"),
    ("bonus", "longdashdot"),
    ("rejected", "dot"),
)


def lane_looks(comparison: Comparison, say: Words = ENGLISH) -> dict[Lane, Look]:
    """A method's first lane looks as that method does everywhere; later ones differ from it."""
    labels, seen, further, found = lane_labels(comparison, say), Counter(), 0, {}
    for name, trace in comparison.lanes.items():
        method = trace.config.method
        look = theme.LANE_COLOURS[method], theme.LANE_DASHES[method]
        if seen[method]:
            look = FURTHER[further % len(FURTHER)]
            further += 1
        seen[method] += 1
        found[name] = Look(labels[name], *look)
    return found
