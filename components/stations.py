"""A walk through one real step for who has never seen speculative decoding.

The stations say the numbers of that very step; nothing in them is fixed but the sentences.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from components.labels import milliseconds, visible
from components.selection import ROOT, TREE_METHODS, Comparison
from components.story import Story, story_of
from components.verdict import reason, token_text
from components.words import ENGLISH, Words
from eagley_core.metrics import first_difference
from eagley_core.trace import Node, Step, Trace

RING: Final = "#tree-{side} .ring, #tree-{index} .ring"  # around the selected node
TREE: Final = (
    "#tree-{side} .tree-frame, #tree-{index} .tree-frame"  # on the page, and in an exported file
)
LANE: Final = "#lane-{lane}"
TOKEN: Final = "#lane-{lane} .token.selected"


class Stop(NamedTuple):
    """A station in the making: what is selected, and what is shown."""

    title: str
    text: str
    node: int  # in the step's tree
    show: str
    step: Step | None = None  # another step than the story's


def stations(comparison: Comparison, say: Words = ENGLISH) -> list[dict[str, Any]]:
    """The stations in order, JSON; none where no lane has a tree.

    Each has `title`, `text`, `at` as `eagley.pick` takes it, and `show`, a CSS selector.
    """
    found = [name for name, own in comparison.lanes.items() if own.config.method != "vanilla"]
    story = story_of(comparison.lanes[found[-1]]) if found else None
    if story is None:
        return []
    stops = [*_guessed(story, comparison, say), *_judged(story, say), *_ended(story, say)]
    stops.append(_exact(story, comparison, say))
    is_left = len(found) == 1 and story.trace.config.method == "eagle"  # a lone EAGLE
    side = 0 if is_left else 1
    return [_station(stop, (found[-1], side), story) for stop in stops]


def _station(stop: Stop, place: tuple[str, int], story: Story) -> dict[str, Any]:
    lane, side = place
    step = stop.step or story.step
    is_inner = 0 <= stop.node < len(step.nodes)
    depth = step.nodes[stop.node].depth if is_inner else len(step.accepted) + 1
    at = {"method": lane, "step": step.index, "node": stop.node}
    at["depth"] = 1 if stop.node == ROOT else depth
    show = stop.show.format(lane=lane, side=TREE_METHODS[side], index=side)
    return {"title": stop.title, "text": stop.text, "at": at, "show": show}


def _quoted(trace: Trace, token_id: int) -> str:
    return visible(token_text(trace, token_id))


def _guessed(story: Story, comparison: Comparison, say: Words) -> Iterator[Stop]:
    trace, step, _, _, _ = story
    root = _quoted(trace, step.root_id)
    length = len(trace.output_ids)
    text = say(
        "A language model writes one token after another: a word, or a part of one. This answer "
        "has {length}. We look at the place behind “{root}”, in step {step} of {lane}.",
        length=length,
        root=root,
        step=step.index,
        lane=trace.label,
    )
    yield Stop(say("Tokens"), text, ROOT, TOKEN)
    heads = [node for node in step.nodes if node.parent == ROOT]
    text = say(
        "A small model, the draft, has guessed how the text goes on, and its guesses hang in a "
        "tree: each continues the one that it hangs on. Here there are {count}, {deep} deep; right "
        "behind “{root}” stand {tokens}.",
        count=len(step.nodes),
        deep=max((node.depth for node in step.nodes), default=0),
        root=root,
        tokens=_list(trace, heads),
    )
    yield Stop(say("A tree of guesses"), text, ROOT, TREE)
    yield Stop(say("One pass checks them all"), _passed(story, comparison, say), ROOT, TREE)


def _list(trace: Trace, nodes: list[Node]) -> str:
    return ", ".join(f"“{_quoted(trace, node.token_id)}”" for node in nodes) or "–"


def _passed(story: Story, comparison: Comparison, say: Words) -> str:
    step, vanilla = story.step, comparison.lanes.get("vanilla")
    rows, time = step.rows, milliseconds(step.verify_seconds)
    singles = sorted(s.verify_seconds for s in vanilla.decode_steps) if vanilla else []
    if not singles:
        return say(
            "The large model, the target, reads the root and all guesses in one pass: {rows} rows "
            "in {time}.",
            rows=rows,
            time=time,
        )
    return say(
        "The large model, the target, reads the root and all guesses in one pass: {rows} rows in "
        "{time}. Without guesses a pass gives one token, and takes {usual} in the vanilla lane.",
        rows=rows,
        time=time,
        usual=milliseconds(singles[len(singles) // 2]),
    )


def _judged(story: Story, say: Words) -> Iterator[Stop]:
    trace, step, rejected, _, _ = story
    if story.first is not None:
        text = say(
            "Of the guesses behind the root the target took “{token}”. {reason} It went on along "
            "the tree and accepted {count} in all.",
            token=_quoted(trace, step.nodes[story.first].token_id),
            reason=reason(trace, step, story.first, say),
            count=len(step.accepted),
        )
        yield Stop(say("What is accepted, and why"), text, story.first, RING)
    bonus = len(step.nodes)
    text = say(
        "Behind the last accepted token the pass has also computed what comes next: “{token}”. "
        "This is the target's own, the bonus. So one pass gave {count} tokens.",
        token=_quoted(trace, step.bonus_id),
        count=step.emitted,
    )
    yield Stop(say("The bonus"), text, bonus, RING)
    if rejected is not None and rejected != ROOT:
        yield Stop(say("What is rejected"), _rejected(story, say), rejected, RING)


def _rejected(story: Story, say: Words) -> str:
    trace, step, rejected, _, _ = story
    return say(
        "“{token}” is not on the accepted path. {reason} With it goes what hangs on it: {lost} of "
        "the {rows} rows that were computed are thrown away.",
        token=_quoted(trace, step.nodes[rejected].token_id),
        reason=reason(trace, step, rejected, say),
        lost=len(step.nodes) - len(step.accepted),
        rows=1 + len(step.nodes),
    )


def _ended(story: Story, say: Words) -> Iterator[Stop]:
    trace, step, rejected, later, again = story
    if later is not None:
        node = later.nodes[again]
        kept = say(
            "EAGLE forgets that row. But the target has said there what it expects next, and "
            "EAGLEY keeps this: behind “{token}” among others “{next}”.",
            token=_quoted(trace, step.nodes[rejected].token_id),
            next=_quoted(trace, node.token_id),
        )
        yield Stop(say("What EAGLEY keeps"), kept, rejected, RING)
        yield Stop(say("Where it comes back"), _back(story, say), again, RING, later)
    else:
        text = say("In this run no guess kept from a rejected row was accepted later on.")
        yield Stop(say("What EAGLEY keeps"), text, ROOT, TREE)
    text = say(
        "Guessing took {draft} of this step, the pass {verify}; what is kept takes {bytes} bytes "
        "by then. More rows make a pass slower, so a guess must be likely enough to be worth it.",
        draft=milliseconds(step.draft_seconds),
        verify=milliseconds(step.verify_seconds),
        bytes=f"{step.store_bytes:,}",
    )
    yield Stop(say("What it costs"), text, len(step.nodes), LANE)


def _back(story: Story, say: Words) -> str:
    trace, later, again = story.trace, story.later, story.again
    node = later.nodes[again]
    facts = {
        "step": later.index,
        "token": _quoted(trace, node.token_id),
        "reason": reason(trace, later, again, say),
    }
    if node.source == "suffix" or "suffix" in node.sources:
        return say(
            "In step {step} the rest of the rejected branch is tried again, behind the token that "
            "took its head's place: here “{token}”. {reason}",
            **facts,
        )
    return say(
        "In step {step} the same context stands again, and what the target said there hangs in "
        "the tree: “{token}”. {reason}",
        **facts,
    )


def _exact(story: Story, comparison: Comparison, say: Words) -> Stop:
    """How one knows that the output is the target's."""
    trace, vanilla = story.trace, comparison.lanes.get("vanilla")
    text = say("Beside it there is no vanilla lane, so here there is nothing to compare with.")
    if vanilla is not None:
        difference = first_difference(trace, vanilla)
        text = say(
            "The vanilla lane decodes the same prompt without guesses. The two outputs are "
            "compared token by token: all {count} are the same.",
            count=len(trace.output_ids),
        )
        if difference is not None:
            text = say(
                "The vanilla lane decodes the same prompt without guesses. Compared token by "
                "token, the outputs part at token {position}.",
                position=difference.position + 1,
            )
    return Stop(say("How we know"), text, len(story.step.nodes), LANE)
