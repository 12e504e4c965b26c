"""What another rule would have done in a recorded step. Needs neither torch nor the model.

Every verified node, tested or not, is recorded with what rules look at and with its own draw, so a
rule can be applied again as far as its path stays inside the recorded tree.
"""

from typing import NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.judge import (
    RESAMPLING,
    Case,
    Children,
    Judge,
    Ruling,
    Standing,
    follow,
    sibling_order,
)
from eagley_core.rule import Rule
from eagley_core.trace import Prediction, Step

ROOT = -1


class WhatIf(NamedTuple):
    """One step under another rule.

    bonus_id is None where it is not predicted: it would be drawn from what rejected nodes leave,
    and that draw was not recorded. Nothing behind the first different decision is predicted: the
    next step would start from another text.
    """

    rulings: dict[int, Ruling]  # by tested node
    path: tuple[int, ...]  # accepted nodes
    bonus_id: int | None
    differs_at: int | None  # the level, from 1, of the first other token; None: the same tokens
    fewer: int = 0  # tokens that it stops short of the recorded ones

    @property
    def told(self) -> str:
        """How far the prediction goes, in a sentence."""
        if self.differs_at is None and self.fewer:
            return (
                f"The same tokens, {self.fewer} fewer in this step: "
                "how the run would have gone on is not predicted."
            )
        if self.differs_at is None:
            return "The same tokens: the run would have gone on as recorded."
        unknown = " The token after its path is not predicted." if self.bonus_id is None else ""
        return (
            f"The first different decision is at level {self.differs_at}; "
            f"what the run would have become behind this step is not predicted.{unknown}"
        )


def what_if(step: Step, rule: Rule, config: DecodeConfig) -> WhatIf:
    """Apply `rule` to a recorded step; config: the recorded run's.

    Raises ValueError for seed-literal, which hangs a rejected token's successor in its place, and
    for a trace without the figures that the rule needs.
    """
    if rule.name == "seed-literal":
        raise ValueError("the rule seed-literal tries tokens where no tree has them: no what-if")
    judge = Judge(rule, config.temperature == 0)
    children = children_of(step, rule)
    walk = follow(judge, ROOT, children, lambda node: case_of(step, node, config))
    bonus = _bonus(step, walk.path, rule, config)
    tokens = [*(step.nodes[node].token_id for node in walk.path), bonus]
    pairs = zip(tokens, step.path_ids, strict=False)
    differs = next((level for level, (a, b) in enumerate(pairs, start=1) if a != b), None)
    fewer = max(0, len(step.path_ids) - len(tokens))
    return WhatIf(walk.rulings, walk.path, bonus, differs, fewer)


def _bonus(step: Step, path: tuple[int, ...], rule: Rule, config: DecodeConfig) -> int | None:
    """The token after the path; None where it was not recorded."""
    last = path[-1] if path else ROOT
    own = prediction_at(step, last).choice_id
    rejected = {node.token_id for node in step.nodes if node.parent == last}
    if rule.name not in RESAMPLING or own not in rejected:
        return own
    same_draw = config.rule.name in RESAMPLING and path == step.accepted
    return step.bonus_id if same_draw else None


def children_of(step: Step, rule: Rule) -> Children:
    """Every node's children, in the order in which the rule tests them."""
    nodes = [(i, node.parent, node.draft_probability) for i, node in enumerate(step.nodes)]
    return sibling_order(rule, nodes)


def prediction_at(step: Step, node: int) -> Prediction:
    """What the target predicts after a node, or after the root."""
    return step.after_root if node == ROOT else step.nodes[node].after


def case_of(step: Step, index: int, config: DecodeConfig) -> Case:
    """A recorded node as a rule sees it."""
    node = step.nodes[index]
    after = prediction_at(step, node.parent)
    standing = node.standing
    if standing is None:
        if not config.judges_raw:
            raise ValueError("the trace was recorded without the figures that rules judge by")
        best = after.top[0].probability
        standing = Standing(node.raw_probability, best, node.rank, after.entropy)
    q = 1.0 if node.draft_probability is None else node.draft_probability
    return Case(node.token_id == after.choice_id, standing, q, node.draw)
