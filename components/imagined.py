"""A recorded step as another rule would have judged it, to be drawn like any other."""

from dataclasses import replace
from typing import NamedTuple

from components.selection import Place
from components.words import ENGLISH, Words
from eagley_core.config import TreeShape
from eagley_core.judge import Ruling
from eagley_core.rule import Rule
from eagley_core.trace import Node, Trace
from eagley_core.what_if import WhatIf, what_if

UNKNOWN = -1  # the id of a token that is not predicted


class Imagined(NamedTuple):
    """A place of a tree under another rule."""

    trace: Trace  # what explains it: the run's, with the other rule
    place: Place
    told: str  # how far that goes, in a sentence


def imagined(trace: Trace, here: Place, rule: Rule, say: Words = ENGLISH) -> Imagined:
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
    judge = replace(trace, config=config, texts=texts)
    return Imagined(judge, Place(judged, node), told(found, say))


def told(found: WhatIf, say: Words = ENGLISH) -> str:
    """How far the prediction goes."""
    if found.differs_at is not None:
        return _differs(found, say)
    if found.fewer:
        return say(
            "The same tokens, {fewer} fewer in this step: how the run would have gone on is not "
            "predicted.",
            fewer=found.fewer,
        )
    return say("The same tokens: the run would have gone on as recorded.")


def _differs(found: WhatIf, say: Words) -> str:
    if found.bonus_id is None:
        return say(
            "The first different decision is at level {level}; what the run would have become "
            "behind this step is not predicted. The token after its path is not predicted.",
            level=found.differs_at,
        )
    return say(
        "The first different decision is at level {level}; what the run would have become behind "
        "this step is not predicted.",
        level=found.differs_at,
    )


def _ruled(node: Node, ruling: Ruling | None) -> Node:
    if ruling is None:
        return replace(node, verdict="untested", compared=None, threshold=None)
    verdict = "accepted" if ruling.passes else "rejected"
    return replace(node, verdict=verdict, compared=ruling.compared, threshold=ruling.threshold)
