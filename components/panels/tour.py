"""The tour: a guided walk through one real step of the run that is open.

`build(say)` lays out a button; what it opens lies over the page. It needs `view["tour"]`, which
`components.stations.stations(comparison, say)` makes.
"""

from components.elements.tour import Tour
from components.words import ENGLISH, Words


def build(say: Words = ENGLISH) -> Tour:
    """One button, wherever the page wants it; it shows where a run with a tree is open."""
    return Tour(elem_id="tour", say=say, scale=0, min_width=140)
