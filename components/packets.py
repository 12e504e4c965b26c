"""One step of one lane as the browser asks for it: its tree, and what is known of its nodes."""

import json
from collections import Counter
from typing import Any

from components.difference import difference
from components.explain import facts
from components.figures.draft_tree import Extent, draft_tree, order, spots
from components.imagined import Imagined, imagined
from components.labels import visible
from components.marks import DRAWN
from components.plain_table import plain_table
from components.selection import ROOT, Place, starts
from components.tables import tree_table
from components.words import ENGLISH, Words
from eagley_core.rule import Rule
from eagley_core.trace import Step, Trace


def packet(
    trace: Trace, step: int, room: Extent, other: Trace | None = None, say: Words = ENGLISH
) -> dict[str, Any]:
    """A recorded step. `other`: the lane beside it, which says what is only here.

    `spots` and `cards` are those of the root, of each node, and of the bonus; `order`, their
    indices from top to bottom, -1 for the root and len(nodes) for the bonus.
    """
    return _packet(Imagined(trace, Place(trace.steps[step], ROOT), ""), room, other, say)


def judged(
    trace: Trace, step: int, rule: Rule, room: Extent, say: Words = ENGLISH
) -> dict[str, Any]:
    """The step as `rule` would have judged it; where it cannot, as it was, and a note says why."""
    here = Place(trace.steps[step], ROOT)
    if here.step.kind == "prefill":
        return _packet(Imagined(trace, here, ""), room, None, say)
    try:
        found = imagined(trace, here, rule)
    except ValueError as error:
        return as_recorded(trace, step, error, room, say)
    told = say("Under {rule}. {told}", rule=rule, told=say(found.told))
    return _packet(found._replace(told=told), room, None, say)


def as_recorded(
    trace: Trace, step: int, why: object, room: Extent, say: Words = ENGLISH
) -> dict[str, Any]:
    """The step as it was, and a note of why not otherwise."""
    told = say("As recorded: {error}.", error=why)
    return _packet(Imagined(trace, Place(trace.steps[step], ROOT), told), room, None, say)


def _packet(found: Imagined, room: Extent, other: Trace | None, say: Words) -> dict[str, Any]:
    trace, (step, _), told = found
    places = range(ROOT, len(step.nodes) + 1)
    return {
        "step": step.index,
        "kind": step.kind,
        "title": say("{lane}, step {step}", lane=say(trace.label), step=step.index),
        "note": say(" ").join(filter(None, (told, note(step, bool(told), say)))),
        "figure": _figure(trace, step, room, say),
        "spots": spots(step),
        "order": order(step),
        "cards": [_card(trace, Place(step, place), say) for place in places],
        "table": plain_table(tree_table(trace, step, say)),
        "only": _only(trace, step, other),
    }


def _figure(trace: Trace, step: Step, room: Extent, say: Words) -> dict[str, Any]:
    return json.loads(draft_tree(trace, step, room, say).to_json())


def _card(trace: Trace, place: Place, say: Words) -> dict[str, Any]:
    rows = [list(row) for row in facts(trace, place, say)]
    return {"title": card_title(trace, place, say), "rows": rows, "origin": _origin(trace, place)}


def _origin(trace: Trace, place: Place) -> dict[str, int] | None:
    """Where a kept node's guess was stored from, if it is a place of this run."""
    step, index = place
    if not 0 <= index < len(step.nodes):
        return None
    origin = step.nodes[index].origin
    if origin is None or origin.turn != trace.turn or not 0 <= origin.step < step.index:
        return None
    is_node = origin.step and origin.node < len(trace.steps[origin.step].nodes)
    return {"step": origin.step, "node": origin.node if is_node else ROOT}


def _only(trace: Trace, step: Step, other: Trace | None) -> list[int]:
    """Nodes that the other lane's tree lacks where this step begins."""
    position = starts(trace)[step.index]
    if other is None or position >= len(other.emitted):
        return []
    return list(difference(trace, step, other, other.steps[other.emitted[position].step]))


def card_title(trace: Trace, place: Place, say: Words = ENGLISH) -> str:
    step, index = place
    if index == ROOT:
        return say("Root “{token}”", token=_token(trace, step.root_id))
    if index >= len(step.nodes):
        return say("Bonus “{token}”", token=_token(trace, step.bonus_id))
    return say("Node “{token}”", token=_token(trace, step.nodes[index].token_id))


def _token(trace: Trace, token_id: int) -> str:
    return visible(trace.token_texts.get(token_id, ""))


def note(step: Step, is_imagined: bool, say: Words = ENGLISH) -> str:
    """A step in one or two sentences."""
    if step.kind == "prefill":
        return say("The prefill: the prompt's pass gives the first token; nothing was drafted.")
    told = [
        say(
            "Nodes: {nodes}; rows: {rows}; accepted: {accepted}{reused}.",
            nodes=len(step.nodes),
            rows=step.rows,
            accepted=len(step.accepted),
            reused=_reused(step, say),
        )
    ]
    if step.estimate and not is_imagined:
        told.append(
            say(
                "The cost model expected {expected} tokens, it gave {given}.",
                expected=f"{step.estimate.tokens:.1f}",
                given=len(step.accepted) + 1,
            )
        )
    return say(" ").join(told)


def _reused(step: Step, say: Words) -> str:
    """How many nodes each source beside the draft gave, and how many of them were accepted."""
    given = Counter(node.source for node in step.nodes)
    won = Counter(step.nodes[node].source for node in step.accepted)
    return "".join(
        say(
            "; {source}: {given}, accepted {won}",
            source=say(mark.short),
            given=given[name],
            won=won[name],
        )
        for name, mark in DRAWN.items()
        if name != "draft" and given[name]
    )
