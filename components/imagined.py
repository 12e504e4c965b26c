"""A recorded step as another rule would have judged it, to be drawn like any other."""

from dataclasses import replace
from typing import NamedTuple

from components.selection import Place
from eagley_core.config import TreeShape
from eagley_core.judge import Ruling
from eagley_core.rule import Rule
from eagley_core.trace import Node, Trace
from eagley_core.what_if import what_if

UNKNOWN = -1  # the id of a token that is not predicted


class Imagined(NamedTuple):
    """A place of a tree under another rule."""

    trace: Trace  # what explains it: the run's, with the other rule
    place: Place
    told: str  # how far that goes, in a sentence


def imagined(trace: Trace, here: Place, rule: Rule) -> Imagined:
    """The place with the verdicts of `rule`. Raises ValueError where it cannot be applied."""
    step, node = here
    found = what_if(step, rule, trace.config)
    nodes = tuple(_ruled(n, found.rulings.get(index)) for index, n in enumerate(step.nodes))
    judged = replace(
        step,
        nodes=nodes,
        accepted=found.path,
        bonus_id=UNKNOWN if found.bonus_id is None else found.bonus_id,
        emitted=len(found.path) + 1,
    )
    # Tree and channels are kept out: they were chosen for the run's own rule.
    config = replace(trace.config, rule=rule, coupled=None, tree=TreeShape(), reuse=())
    texts = (*trace.texts, (UNKNOWN, "?"))
    return Imagined(replace(trace, config=config, texts=texts), Place(judged, node), found.told)


def _ruled(node: Node, ruling: Ruling | None) -> Node:
    if ruling is None:
        return replace(node, verdict="untested", compared=None, threshold=None)
    verdict = "accepted" if ruling.passes else "rejected"
    return replace(node, verdict=verdict, compared=ruling.compared, threshold=ruling.threshold)
