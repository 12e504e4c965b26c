"""Why a node has its verdict, in one sentence, by the run's own rule."""

from typing import Final

from components.labels import visible
from components.selection import ROOT, parent
from eagley_core.config import DecodeConfig
from eagley_core.trace import Node, Prediction, Step, Trace

LEFT = "p over what its rejected siblings left"
COMPARED: Final = {  # by rule: what it compares, and with what
    "speculative": (LEFT, "the draw"),
    "lenience": (f"{LEFT}, over L", "the draw"),
    "seed-ratio": ("the draw times min(1, p/q)", "T"),
    "seed-threshold": ("p", "T"),
    "seed-literal": ("p", "T"),
    "top-k": ("its rank", "K"),
    "typical": ("p", "min(E, D · exp(−entropy))"),
}
GREEDY: Final = {"lenience": ("p", "L times the largest p")}  # what differs at temperature 0


def parent_prediction(step: Step, node: int) -> Prediction:
    """What the target predicts at a node's parent, where the node is judged."""
    above = parent(step, node)
    return step.after_root if above == ROOT else step.nodes[above].after


def reason(trace: Trace, step: Step, index: int) -> str:
    """Why a node has its verdict, in one sentence."""
    node = step.nodes[index]
    if node.verdict == "untested":
        return _untested(trace, step, node)
    if matches(trace.config):
        return _matched(trace, step, index)
    return _compared(trace.config, node)


def matches(config: DecodeConfig) -> bool:
    """Whether a node passes when it is the target's own token, and only then."""
    name = config.rule.name
    return name == "exact" or (name == "speculative" and config.temperature == 0)


def _untested(trace: Trace, step: Step, node: Node) -> str:
    if node.parent == ROOT or step.nodes[node.parent].verdict == "accepted":
        return "Not tested: a sibling was accepted first."
    if matches(trace.config):
        return "Not tested: the path to it left the target's own."
    return "Not tested: its parent was not accepted."


def _matched(trace: Trace, step: Step, index: int) -> str:
    node = step.nodes[index]
    is_old = node.source == "stale" and trace.config.channel("stale-kv") is not None
    if is_old and node.verdict == "accepted":
        return "Accepted on its old verdict: this step's pass did not test it."
    if node.verdict == "accepted":
        return "Accepted: it is the token that the target chose there."
    choice = visible(token_text(trace, parent_prediction(step, index).choice_id))
    return f"Rejected: the target chose “{choice}” there."


def _compared(config: DecodeConfig, node: Node) -> str:
    """The rule, and the two numbers that it compared."""
    taken, name = node.verdict.capitalize(), config.rule.name
    if node.compared is None or node.threshold is None:
        return f"{taken} by the rule {config.rule}; its numbers were not recorded."
    is_rank = name == "top-k"
    is_met = node.compared <= node.threshold if is_rank else node.compared >= node.threshold
    if is_met and node.verdict == "rejected":
        return f"Rejected by the rule {config.rule}: the run's settings exclude this token."
    found = GREEDY.get(name) if config.temperature == 0 else None
    what, against = found or COMPARED[name]
    relation = _relation(is_rank, is_met)
    numbers = f"{what}, {node.compared:.4g}, is {relation} {against}, {node.threshold:.4g}"
    return f"{taken} by the rule {config.rule}: {numbers}."


def _relation(is_rank: bool, is_met: bool) -> str:
    if is_rank:
        return "at most" if is_met else "above"
    return "at least" if is_met else "below"


def token_text(trace: Trace, token_id: int) -> str:
    return trace.token_texts.get(token_id, f"⟨{token_id}⟩")
