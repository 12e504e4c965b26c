"""A node in words: every recorded fact, and why the target took it or not."""

from components.labels import percent, quantity, visible
from components.selection import ROOT, Place, parent
from eagley_core.trace import Node, Origin, Prediction, Step, Trace

Row = tuple[str, str]


def parent_prediction(step: Step, node: int) -> Prediction:
    """What the target predicts at a node's parent, where the node is judged."""
    above = parent(step, node)
    return step.after_root if above == ROOT else step.nodes[above].after


def reason(trace: Trace, step: Step, index: int) -> str:
    """Why a node has its verdict, in one sentence."""
    node = step.nodes[index]
    if trace.config.rule.name != "exact" and node.verdict != "untested":
        taken = node.verdict.capitalize()
        compared = f"{quantity(node.compared, 4)} with {quantity(node.threshold, 4)}"
        return f"{taken} by the rule {trace.config.rule}, which compared {compared}."
    if node.verdict == "accepted":
        return "Accepted: it is the token that the target chose there."
    if node.verdict == "rejected":
        choice = visible(_text(trace, parent_prediction(step, index).choice_id))
        return f"Rejected: the target chose “{choice}” there."
    if node.parent == ROOT or step.nodes[node.parent].verdict == "accepted":
        return "Not tested: a sibling was accepted first."
    return "Not tested: the path to it left the target's own."


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
        ("Token", f"{visible(_text(trace, node.token_id))}  (id {node.token_id})"),
        ("Verdict", reason(trace, step, index)),
        ("Place", f"step {step.index}, node {index}, depth {node.depth}"),
        ("Source", _sources(node)),
    ]
    if node.origin:
        rows.append(("Origin", _origin(node.origin, trace.turn)))
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
    if node.compared is not None and node.threshold is not None:
        rows.append(("Compared", f"{node.compared:.6g} with {node.threshold:.6g}"))
    return tuple(rows)


def _drafted(node: Node) -> str:
    if node.draft_probability is None:
        return "not scored by the draft"
    along = "" if node.score is None else f", log q along the path {node.score:.2f}"
    return f"{percent(node.draft_probability)}{along}"


def _root(trace: Trace, step: Step) -> tuple[Row, ...]:
    return (
        ("Token", f"{visible(_text(trace, step.root_id))}  (id {step.root_id})"),
        ("Role", "Root: the newest committed token; the tree grows from it."),
        ("Place", f"step {step.index}, position {step.position}"),
        ("Target next", _top(trace, step.after_root)),
    )


def _bonus(trace: Trace, step: Step) -> tuple[Row, ...]:
    prediction = parent_prediction(step, len(step.nodes))
    cut = " It was cut: the output ended before it." if step.is_cut else ""
    return (
        ("Token", f"{visible(_text(trace, step.bonus_id))}  (id {step.bonus_id})"),
        ("Role", f"Bonus: the target's own next token after the accepted path.{cut}"),
        ("Place", f"step {step.index}, depth {len(step.accepted) + 1}"),
        ("Target there", _top(trace, prediction)),
        ("Margin", f"{prediction.margin:.4g} over the second choice"),
        ("Entropy", f"{prediction.entropy:.2f} nats"),
    )


def _sources(node: Node) -> str:
    also = [source for source in node.sources if source != node.source]
    return node.source + (f" (also proposed by {', '.join(also)})" if also else "")


def _origin(origin: Origin, turn: int) -> str:
    place = f"prompt position {origin.node}" if origin.step == 0 else f"node {origin.node}"
    if origin.step and origin.node == ROOT:
        place = "the root"
    kept = ", which had been rejected" if origin.rejected else ""
    where = "the prefill" if origin.step == 0 else f"step {origin.step}"
    earlier = "" if origin.turn == turn else f" of turn {origin.turn + 1}"
    return f"stored from {place} of {where}{earlier}{kept}"


def _top(trace: Trace, prediction: Prediction) -> str:
    first = prediction.top[:4]
    return ", ".join(
        f"“{visible(_text(trace, c.token_id))}” {percent(c.probability)}" for c in first
    )


def _text(trace: Trace, token_id: int) -> str:
    return trace.token_texts.get(token_id, f"⟨{token_id}⟩")
