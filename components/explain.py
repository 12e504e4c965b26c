"""A node in words: every recorded fact, and why the target took it or not."""

from components.labels import percent, quantity, visible
from components.marks import DRAWN
from components.selection import ROOT, Place
from components.verdict import parent_prediction, reason, token_text
from components.words import ENGLISH, Words
from eagley_core.trace import Node, Origin, Prediction, Step, Trace

Row = tuple[str, str]


def facts(trace: Trace, place: Place, say: Words = ENGLISH) -> tuple[Row, ...]:
    """Everything recorded about one place of a tree, as label and value."""
    step, index = place
    if index == ROOT:
        return _root(trace, step, say)
    if index >= len(step.nodes):
        return _bonus(trace, step, say)
    return _node(trace, step, index, say)


def _node(trace: Trace, step: Step, index: int, say: Words) -> tuple[Row, ...]:
    node = step.nodes[index]
    where = say(
        "step {step}, node {node}, depth {depth}", step=step.index, node=index, depth=node.depth
    )
    rows = [
        (say("Token"), _token(trace, node.token_id, say)),
        (say("Verdict"), reason(trace, step, index, say)),
        (say("Target there"), _top(trace, parent_prediction(step, index), say)),
        (say("Place"), where),
        (say("Source"), _sources(node, say)),
    ]
    if kept := kept_from(node, trace.turn, say):
        rows.append((say("Kept from"), kept))
    after = (say("Target next"), _top(trace, node.after, say))
    return (*rows, *_probabilities(node, say), after)


def _probabilities(node: Node, say: Words) -> tuple[Row, ...]:
    p = {"raw": percent(node.raw_probability), "processed": percent(node.probability)}
    rows = [
        (say("Target p"), say("{raw} raw, {processed} processed", **p)),
        (say("Target rank"), f"{node.rank + 1}"),
        (say("Draft q"), _drafted(node, say)),
        (say("Draw"), quantity(node.draw, 4)),
    ]
    if node.value is not None:
        chance = percent(node.value)
        expected = say("{chance} chance of acceptance (cost model)", chance=chance)
        rows.append((say("Expected"), expected))
    if node.standing is not None:
        p = percent(node.standing.p)
        rows.append((say("Judged by"), say("p {p} (what the rule looks at)", p=p)))
    return tuple(rows)


def _drafted(node: Node, say: Words) -> str:
    if node.draft_probability is None:
        return say("not scored by the draft")
    q = percent(node.draft_probability)
    if node.score is None:
        return q
    return say("{q}, log q along the path {score}", q=q, score=f"{node.score:.2f}")


def _root(trace: Trace, step: Step, say: Words) -> tuple[Row, ...]:
    where = say("step {step}, position {position}", step=step.index, position=step.position)
    return (
        (say("Token"), _token(trace, step.root_id, say)),
        (say("Role"), say("Root: the newest committed token; the tree grows from it.")),
        (say("Place"), where),
        (say("Target next"), _top(trace, step.after_root, say)),
    )


def _bonus(trace: Trace, step: Step, say: Words) -> tuple[Row, ...]:
    prediction = parent_prediction(step, len(step.nodes))
    depth = len(step.accepted) + 1
    margin = say("{margin} over the second choice", margin=f"{prediction.margin:.4g}")
    return (
        (say("Token"), _token(trace, step.bonus_id, say)),
        (say("Role"), _bonus_role(step, say)),
        (say("Place"), say("step {step}, depth {depth}", step=step.index, depth=depth)),
        (say("Target there"), _top(trace, prediction, say)),
        (say("Margin"), margin),
        (say("Entropy"), say("{entropy} nats", entropy=f"{prediction.entropy:.2f}")),
    )


def _bonus_role(step: Step, say: Words) -> str:
    if step.is_cut:
        return say(
            "Bonus: the target's own next token after the accepted path. "
            "It was cut: the output ended before it."
        )
    return say("Bonus: the target's own next token after the accepted path.")


def _token(trace: Trace, token_id: int, say: Words) -> str:
    token = visible(token_text(trace, token_id))
    return say("{token}  (id {id})", token=token, id=token_id)


def _sources(node: Node, say: Words) -> str:
    own = DRAWN[node.source]
    short, words = say(own.short), say(own.words)
    named = words if own.short in own.words else say("{short}: {words}", short=short, words=words)
    also = [say(DRAWN[source].short) for source in node.sources if source != node.source]
    others = say(", ").join(also)
    return say("{source} (also {others})", source=named, others=others) if also else named


def kept_from(node: Node, turn: int, say: Words = ENGLISH) -> str:
    """Which row a node's guess was stored from, in a run of this turn; empty where none was."""
    if node.origin is not None:
        return _origin(node.origin, turn, say)
    if node.source == "draft-state":
        return say("the draft's own pool, no row of the target")
    return ""


def _origin(origin: Origin, turn: int, say: Words) -> str:
    place = _place(origin, say)
    if origin.turn == turn:
        if origin.rejected:
            return say("{place}, this turn: a row that had been rejected", place=place)
        return say("{place}, this turn: a row that stayed", place=place)
    told = {"place": place, "turn": origin.turn + 1}
    if origin.rejected:
        return say("{place}, turn {turn}: a row that had been rejected", **told)
    return say("{place}, turn {turn}: a row that stayed", **told)


def _place(origin: Origin, say: Words) -> str:
    if origin.step == 0:
        return say("prompt position {position} of the prefill", position=origin.node)
    if origin.node == ROOT:
        return say("the root of step {step}", step=origin.step)
    return say("node {node} of step {step}", node=origin.node, step=origin.step)


def _top(trace: Trace, prediction: Prediction, say: Words) -> str:
    first = prediction.top[:4]
    return say(", ").join(
        f"“{visible(token_text(trace, c.token_id))}” {percent(c.probability)}" for c in first
    )
