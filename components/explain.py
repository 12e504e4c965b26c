"""A node in words: every recorded fact, and why the target took it or not."""

from components.labels import percent, quantity, visible
from components.marks import DRAWN
from components.selection import ROOT, Place
from components.verdict import parent_prediction, reason, token_text
from eagley_core.trace import Node, Origin, Prediction, Step, Trace

Row = tuple[str, str]


def facts(trace: Trace, place: Place) -> tuple[Row, ...]:
    """Everything recorded about one place of a tree, as label and value."""
    step, index = place
    if index == ROOT:
        return _root(trace, step)
    if index >= len(step.nodes):
        return _bonus(trace, step)
    return _node(trace, step, index)


def _node(trace: Trace, step: Step, index: int) -> tuple[Row, ...]:
    node = step.nodes[index]
    rows = [
        ("Token", f"{visible(token_text(trace, node.token_id))}  (id {node.token_id})"),
        ("Verdict", reason(trace, step, index)),
        ("Place", f"step {step.index}, node {index}, depth {node.depth}"),
        ("Source", _sources(node)),
    ]
    if kept := kept_from(node, trace.turn):
        rows.append(("Kept from", kept))
    return (*rows, *_probabilities(node), ("Target next", _top(trace, node.after)))


def _probabilities(node: Node) -> tuple[Row, ...]:
    rows = [
        ("Target p", f"{percent(node.raw_probability)} raw, {percent(node.probability)} processed"),
        ("Target rank", f"{node.rank + 1}"),
        ("Draft q", _drafted(node)),
        ("Draw", quantity(node.draw, 4)),
    ]
    if node.value is not None:
        rows.append(("Expected", f"{percent(node.value)} chance of acceptance (cost model)"))
    if node.standing is not None:
        rows.append(("Judged by", f"p {percent(node.standing.p)} (what the rule looks at)"))
    return tuple(rows)


def _drafted(node: Node) -> str:
    if node.draft_probability is None:
        return "not scored by the draft"
    along = "" if node.score is None else f", log q along the path {node.score:.2f}"
    return f"{percent(node.draft_probability)}{along}"


def _root(trace: Trace, step: Step) -> tuple[Row, ...]:
    return (
        ("Token", f"{visible(token_text(trace, step.root_id))}  (id {step.root_id})"),
        ("Role", "Root: the newest committed token; the tree grows from it."),
        ("Place", f"step {step.index}, position {step.position}"),
        ("Target next", _top(trace, step.after_root)),
    )


def _bonus(trace: Trace, step: Step) -> tuple[Row, ...]:
    prediction = parent_prediction(step, len(step.nodes))
    cut = " It was cut: the output ended before it." if step.is_cut else ""
    return (
        ("Token", f"{visible(token_text(trace, step.bonus_id))}  (id {step.bonus_id})"),
        ("Role", f"Bonus: the target's own next token after the accepted path.{cut}"),
        ("Place", f"step {step.index}, depth {len(step.accepted) + 1}"),
        ("Target there", _top(trace, prediction)),
        ("Margin", f"{prediction.margin:.4g} over the second choice"),
        ("Entropy", f"{prediction.entropy:.2f} nats"),
    )


def _sources(node: Node) -> str:
    also = [DRAWN[source].short for source in node.sources if source != node.source]
    own = DRAWN[node.source]
    named = own.words if own.short in own.words else f"{own.short}: {own.words}"
    return named + (f" (also {', '.join(also)})" if also else "")


def kept_from(node: Node, turn: int) -> str:
    """Which row a node's guess was stored from, in a run of this turn; empty where none was."""
    if node.origin is not None:
        return _origin(node.origin, turn)
    return "the draft's own pool, no row of the target" if node.source == "draft-state" else ""


def _origin(origin: Origin, turn: int) -> str:
    place = f"prompt position {origin.node}" if origin.step == 0 else f"node {origin.node}"
    if origin.step and origin.node == ROOT:
        place = "the root"
    where = "the prefill" if origin.step == 0 else f"step {origin.step}"
    when = "this turn" if origin.turn == turn else f"turn {origin.turn + 1}"
    row = "a row that had been rejected" if origin.rejected else "a row that stayed"
    return f"{place} of {where}, {when}: {row}"


def _top(trace: Trace, prediction: Prediction) -> str:
    first = prediction.top[:4]
    return ", ".join(
        f"“{visible(token_text(trace, c.token_id))}” {percent(c.probability)}" for c in first
    )
