"""From the engine's steps to a trace.

While the engine runs, its steps are only kept, with the hidden states of their rows. What the
target says about every node is computed from those states afterwards: the lm_head gives a row the
same logits again.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from eagley_core.config import DecodeConfig
from eagley_core.judge import Ruling, Standing
from eagley_core.provenance import cache_runs
from eagley_core.replay import replayed
from eagley_core.sampling import DRAW, uniform
from eagley_core.steps import Label, StepFacts
from eagley_core.target import Target
from eagley_core.text import pieces
from eagley_core.trace import (
    Environment,
    Node,
    Prediction,
    Step,
    Trace,
    Verdict,
)
from eagley_core.views import Views


class DecodeAll(Protocol):
    """A tokenizer's decode."""

    def __call__(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str: ...


@dataclass(frozen=True)
class RunInfo:
    """What the trace says about a run beside its steps."""

    name: str
    category: str
    prompt: str
    prompt_ids: tuple[int, ...]
    config: DecodeConfig
    draft: str
    environment: Environment


class Recorder:
    """Makes the trace of one run from its steps."""

    def __init__(self, target: Target, decode: DecodeAll, info: RunInfo) -> None:
        self._target, self._decode, self._info = target, decode, info

    def trace(self, facts: Sequence[StepFacts]) -> Trace:
        """The finished trace; its steps are those of `facts`, from the prefill on."""
        start = time.perf_counter()
        self._n_reused = len(self._info.prompt_ids) - facts[0].n_rows
        views = replayed(self._target, self._info.config, self._info.prompt_ids, facts)
        steps = tuple(self._step(*pair) for pair in zip(facts, views, strict=True))
        output = tuple(token for step in facts for token in step.emitted)
        info = self._info
        return Trace(
            name=info.name,
            category=info.category,
            prompt=info.prompt,
            config=info.config,
            target=self._target.name,
            draft=info.draft,
            environment=info.environment,
            prompt_ids=info.prompt_ids,
            output_ids=output,
            pieces=pieces(self._readable, output, info.config.stop),
            texts=self._texts(steps, output),
            steps=steps,
            finish_reason=facts[-1].finish or "cancelled",
            record_seconds=time.perf_counter() - start,
            turn=facts[0].turn,
            internals=facts[-1].internals,
            row_bytes=self._target.new_cache(1).bytes_per_row,
        )

    def _readable(self, ids: Sequence[int]) -> str:
        return self._decode(ids, skip_special_tokens=True)

    def _texts(self, steps: Sequence[Step], output: Sequence[int]) -> tuple[tuple[int, str], ...]:
        ids = {*self._info.prompt_ids, *output}
        for step in steps:
            ids |= {step.root_id, step.bonus_id, *_predicted(step.after_root)}
            for node in step.nodes:
                ids |= {node.token_id, *_predicted(node.after)}
        return tuple((i, self._decode([i], skip_special_tokens=False)) for i in sorted(ids))

    def _step(self, facts: StepFacts, views: Views) -> Step:
        laps = facts.laps
        return Step(
            index=facts.index,
            kind="decode" if facts.index else "prefill",
            root_id=facts.rows.tokens[0],
            position=facts.position,
            after_root=views.after(0),
            nodes=self._nodes(facts, views),
            accepted=tuple(row - 1 for row in facts.path),
            bonus_id=facts.bonus_id,
            emitted=len(facts.emitted),
            rows=facts.n_rows,
            draft_passes=facts.draft_passes,
            store_bytes=facts.store_bytes,
            started=laps.started,
            draft_seconds=laps.draft,
            verify_seconds=laps.verify,
            accept_seconds=laps.accept,
            commit_seconds=laps.commit,
            estimate=facts.estimate,
            cache=cache_runs(facts, self._n_reused, len(self._info.prompt_ids)),
        )

    def _nodes(self, facts: StepFacts, views: Views) -> tuple[Node, ...]:
        rulings = _matched(facts) if facts.rulings is None else facts.rulings
        raw = self._info.config.judges_raw
        standings = [None] * len(facts.rows.tokens) if raw else views.standings()
        siblings: dict[int, int] = {}
        nodes = []
        for row in range(1, len(facts.rows.tokens)):
            parent = facts.rows.parents[row]
            siblings[parent] = siblings.get(parent, -1) + 1
            position = facts.position + facts.rows.depths[row]
            draws = uniform(self._info.config.seed, position, DRAW, siblings[parent] + 1)
            label = facts.labels[row - 1] if facts.labels else None
            own = _Own(rulings.get(row), float(draws[-1]), label, standings[row])
            nodes.append(_node(row, facts, views, own))
        return tuple(nodes)


def _predicted(prediction: Prediction) -> set[int]:
    return {prediction.choice_id, *(candidate.token_id for candidate in prediction.top)}


class _Own(NamedTuple):
    """What is known of one node beside its row."""

    ruling: Ruling | None
    draw: float
    label: Label | None
    standing: Standing | None


def _matched(facts: StepFacts) -> dict[int, Ruling]:
    """Rulings by the target's own tokens. Siblings are tested in order of the rows."""
    accepted, parents = {0, *facts.path}, facts.rows.parents
    passed: set[int] = set()
    rulings = {}
    for row in range(1, len(parents)):
        if parents[row] in accepted and parents[row] not in passed:
            passes = row in accepted
            rulings[row] = Ruling(float(passes), 1.0, passes)
            passed |= {parents[row]} if passes else set()
    return rulings


def _verdict(ruling: Ruling | None) -> Verdict:
    if ruling is None:
        return "untested"
    return "accepted" if ruling.passes else "rejected"


def _node(row: int, facts: StepFacts, views: Views, own: _Own) -> Node:
    rows, label, ruling = facts.rows, own.label, own.ruling
    log_q = rows.log_q[row - 1]
    return Node(
        parent=rows.parents[row] - 1,
        depth=facts.rows.depths[row],
        token_id=rows.tokens[row],
        source=label.sources[0] if label else "draft",
        sources=label.sources if label else ("draft",),
        draft_probability=None if log_q is None else math.exp(log_q),
        score=rows.scores[row - 1],
        value=label.value if label else None,
        probability=views.p[row],
        raw_probability=views.raw[row],
        rank=views.ranks[row],
        draw=own.draw,
        compared=ruling and ruling.compared,
        threshold=ruling and ruling.threshold,
        verdict=_verdict(ruling),
        origin=label.origin if label else None,
        after=views.after(row),
        standing=own.standing,
    )
