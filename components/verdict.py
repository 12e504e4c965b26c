"""Why a node has its verdict, in one sentence, by the run's own rule."""

from typing import Final

from components.labels import visible
from components.selection import ROOT, parent
from components.words import ENGLISH, Phrase, Words
from eagley_core.config import DecodeConfig
from eagley_core.trace import Node, Prediction, Step, Trace

LEFT: Final = Phrase("p over what its rejected siblings left")
DRAW: Final = Phrase("the draw")
COMPARED: Final = {  # by rule: what it compares, and with what
    "speculative": (LEFT, DRAW),
    "lenience": (Phrase("p over what its rejected siblings left, over L"), DRAW),
    "seed-ratio": (Phrase("the draw times min(1, p/q)"), "T"),
    "seed-threshold": ("p", "T"),
    "seed-literal": ("p", "T"),
    "top-k": (Phrase("its rank"), "K"),
    "typical": ("p", Phrase("min(E, D · exp(−entropy))")),
}
GREEDY: Final = {
    "lenience": ("p", Phrase("L times the largest p"))
}  # what differs at temperature 0
RELATIONS: Final = {  # by whether ranks are compared, and whether the rule is met
    (True, True): Phrase("{what}, {compared}, is at most {against}, {threshold}"),
    (True, False): Phrase("{what}, {compared}, is above {against}, {threshold}"),
    (False, True): Phrase("{what}, {compared}, is at least {against}, {threshold}"),
    (False, False): Phrase("{what}, {compared}, is below {against}, {threshold}"),
}
TAKEN: Final = {
    "accepted": Phrase("Accepted by the rule {rule}: {numbers}."),
    "rejected": Phrase("Rejected by the rule {rule}: {numbers}."),
}
UNRECORDED: Final = {
    "accepted": Phrase("Accepted by the rule {rule}; its numbers were not recorded."),
    "rejected": Phrase("Rejected by the rule {rule}; its numbers were not recorded."),
}


def parent_prediction(step: Step, node: int) -> Prediction:
    """What the target predicts at a node's parent, where the node is judged."""
    above = parent(step, node)
    return step.after_root if above == ROOT else step.nodes[above].after


def reason(trace: Trace, step: Step, index: int, say: Words = ENGLISH) -> str:
    """Why a node has its verdict, in one sentence."""
    node = step.nodes[index]
    if node.verdict == "untested":
        return _untested(trace, step, node, say)
    if matches(trace.config):
        return _matched(trace, step, index, say)
    return _compared(trace.config, node, say)


def matches(config: DecodeConfig) -> bool:
    """Whether a node passes when it is the target's own token, and only then."""
    name = config.rule.name
    return name == "exact" or (name == "speculative" and config.temperature == 0)


def _untested(trace: Trace, step: Step, node: Node, say: Words) -> str:
    if node.parent == ROOT or step.nodes[node.parent].verdict == "accepted":
        return say("Not tested: a sibling was accepted first.")
    if matches(trace.config):
        return say("Not tested: the path to it left the target's own.")
    return say("Not tested: its parent was not accepted.")


def _matched(trace: Trace, step: Step, index: int, say: Words) -> str:
    node = step.nodes[index]
    is_old = node.source == "stale" and trace.config.channel("stale-kv") is not None
    if is_old and node.verdict == "accepted":
        return say("Accepted on its old verdict: this step's pass did not test it.")
    if node.verdict == "accepted":
        return say("Accepted: it is the token that the target chose there.")
    choice = visible(token_text(trace, parent_prediction(step, index).choice_id))
    return say("Rejected: the target chose “{token}” there.", token=choice)


def _compared(config: DecodeConfig, node: Node, say: Words) -> str:
    """The rule, and the two numbers that it compared."""
    name, rule = config.rule.name, config.rule
    if node.compared is None or node.threshold is None:
        return say(UNRECORDED[node.verdict], rule=rule)
    is_rank = name == "top-k"
    is_met = node.compared <= node.threshold if is_rank else node.compared >= node.threshold
    if is_met and node.verdict == "rejected":
        return say("Rejected by the rule {rule}: the run's settings exclude this token.", rule=rule)
    found = GREEDY.get(name) if config.temperature == 0 else None
    what, against = found or COMPARED[name]
    numbers = say(
        RELATIONS[is_rank, is_met],
        what=say(what),
        compared=f"{node.compared:.4g}",
        against=say(against),
        threshold=f"{node.threshold:.4g}",
    )
    return say(TAKEN[node.verdict], rule=rule, numbers=numbers)


def token_text(trace: Trace, token_id: int) -> str:
    return trace.token_texts.get(token_id, f"⟨{token_id}⟩")
