"""What happened in a run, as plain immutable values. Needs neither torch nor the model.

The trace stores facts; numbers that follow from them are in `metrics`. Positions are absolute:
0 is the first prompt token. Times are seconds; `Step.started` is on the run's own clock, which
starts with the prefill.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.internals import Internals
from eagley_core.judge import Standing

Source = Literal["draft", "recycled", "suffix", "ngram", "draft-state", "stale"]
Verdict = Literal["accepted", "rejected", "untested"]
Provenance = Literal[
    "prefill", "verified", "kept", "dropped", "draft", "shared", "substituted", "stale"
]
FinishReason = Literal["eos", "stop", "length", "context", "cancelled"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the target's likeliest next tokens, with its raw probability."""

    token_id: int
    probability: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the target predicts after one verified row."""

    choice_id: int  # the target's own token: the argmax, or its sample at temperature > 0
    entropy: float  # nats, of the raw distribution
    margin: float  # best minus second best of processed logits (plus noise): how near a tie is
    top: tuple[Candidate, ...]  # likeliest first
    logit: float = 0.0  # the best raw logit: the scale of its rounding


@dataclass(frozen=True, slots=True)
class Origin:
    """Where EAGLEY's store had an item from: a row of an earlier target pass."""

    step: int  # 0 is the prefill
    node: int  # index in that step's nodes; -1 is the root; in the prefill, the prompt position
    rejected: bool  # the row belonged to a rejected node
    turn: int = 0  # of which run of the conversation; see `Trace.turn`


@dataclass(frozen=True, slots=True)
class Node:
    """One proposed token. Everything the target says about it is read at its parent's row."""

    parent: int  # index in the step's nodes; -1 is the root
    depth: int  # 1 for a child of the root
    token_id: int
    source: Source  # the source that gets the credit
    sources: tuple[Source, ...]  # every source that proposed it
    draft_probability: float | None  # q; None where the draft did not score it
    score: float | None  # cumulative log q along the path
    value: float | None  # cost model: calibrated probability of being accepted
    probability: float  # p: the processed target distribution
    raw_probability: float  # p before temperature, top-k, top-p and penalties
    rank: int  # 0: the target's likeliest token there (raw)
    draw: float  # uniform in [0, 1) from the node's own key
    compared: float | None  # what the rule compared, for a tested node
    threshold: float | None  # with what
    verdict: Verdict
    origin: Origin | None  # which stored item it came from
    after: Prediction  # what the target predicts after this node
    standing: Standing | None = None  # what rules judge by; None: the raw figures


@dataclass(frozen=True, slots=True)
class CacheRun:
    """Cache positions start..stop-1 share one provenance."""

    start: int
    stop: int
    provenance: Provenance
    age: int | None = None  # of stale rows: tokens committed since they were put in place


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the cost model expected of a step before it was verified."""

    tokens: float
    draft_seconds: float
    verify_seconds: float


@dataclass(frozen=True, slots=True)
class Step:
    """One round: grow a tree, one target pass, accept, commit. Step 0 is the prefill."""

    index: int
    kind: Literal["prefill", "decode"]
    root_id: int  # row 0 of the pass: the newest committed token (prefill: the last prompt token)
    position: int  # the root's position
    after_root: Prediction
    nodes: tuple[Node, ...]
    accepted: tuple[int, ...]  # node indices from the root down
    bonus_id: int  # the target's own next token after the accepted path
    emitted: int  # how many of accepted + bonus became output; fewer when EOS or a limit cut it
    rows: int  # rows of the target pass, padding included
    draft_passes: int
    store_bytes: int  # EAGLEY's store after the step
    started: float
    draft_seconds: float
    verify_seconds: float
    accept_seconds: float
    commit_seconds: float
    estimate: Estimate | None
    cache: tuple[CacheRun, ...]

    def is_path(self) -> bool:
        """Whether the accepted nodes hang on each other, from the root down."""
        above = (-1, *self.accepted)
        return all(
            0 <= node < len(self.nodes) and self.nodes[node].parent == parent
            for parent, node in zip(above, self.accepted, strict=False)
        )

    @property
    def path_ids(self) -> tuple[int, ...]:
        """Accepted tokens and the bonus, before any cut."""
        return (*(self.nodes[i].token_id for i in self.accepted), self.bonus_id)

    @property
    def is_cut(self) -> bool:
        return self.emitted < len(self.accepted) + 1

    @property
    def seconds(self) -> float:
        return self.draft_seconds + self.verify_seconds + self.accept_seconds + self.commit_seconds


class Emitted(NamedTuple):
    """One output token and the place in the trace it came from."""

    token_id: int
    position: int
    step: int
    node: int | None  # None: the target's own token (bonus)
    source: str  # a Source, or "bonus"


@dataclass(frozen=True, slots=True)
class Environment:
    """What a run's times depend on."""

    device: str
    dtype: str
    threads: int
    numerics: str  # what the engine's self-test found, in words
    processor: str
    python: str
    torch: str
    transformers: str
    lent: bool = False  # a device shared by many, cold for each run: its times compare with none


@dataclass(frozen=True)
class Trace:
    """One finished run."""

    name: str
    category: str
    prompt: str  # what the person typed; `prompt_ids` includes the chat template
    config: DecodeConfig
    target: str
    draft: str
    environment: Environment
    prompt_ids: tuple[int, ...]
    output_ids: tuple[int, ...]
    pieces: tuple[str, ...]  # parallel to output_ids; joined they are the output text
    texts: tuple[tuple[int, str], ...]  # every token id in the trace and its text, by id
    steps: tuple[Step, ...]
    finish_reason: FinishReason
    record_seconds: float  # time spent on recording after the last step, outside the run's clock
    turn: int = 0  # which run of its conversation this is; 0 is the first
    internals: Internals | None = None  # held against a clean pass, on request
    row_bytes: int | None = None  # of one cached row of the target: keys and values of all layers

    def __post_init__(self) -> None:
        if len(self.pieces) != len(self.output_ids):
            raise ValueError(f"{len(self.pieces)} pieces for {len(self.output_ids)} output tokens")
        if sum(step.emitted for step in self.steps) != len(self.output_ids):
            raise ValueError("the steps do not emit as many tokens as the output has")
        for step in self.steps:
            for index, node in enumerate(step.nodes):
                if not -1 <= node.parent < index:
                    raise ValueError(f"step {step.index}: node {index} precedes its parent")

    def check(self) -> None:
        """Raise ValueError unless the steps fit the output, as those of every real run do."""
        if not self.steps:
            raise ValueError("the run does not fit together: it has no steps")
        for index, step in enumerate(self.steps):
            self._check_step(index, step)
        emitted = [token for step in self.steps for token in step.path_ids[: step.emitted]]
        if emitted != list(self.output_ids):
            raise ValueError("the run does not fit together: its steps emit other tokens")

    def _check_step(self, index: int, step: Step) -> None:
        problem = None
        if step.index != index:
            problem = f"step {index} says that it is step {step.index}"
        elif not step.is_path():
            problem = f"step {index} accepts nodes off its path"
        elif any(not 0 <= run.start < run.stop <= self.reach(step) for run in step.cache):
            problem = f"step {index} has cached positions that it cannot have"
        if problem:
            raise ValueError(f"the run does not fit together: {problem}")

    def reach(self, step: Step) -> int:
        """One past the last position that the step can have had rows at."""
        return len(self.prompt_ids) + len(self.output_ids) + len(step.nodes) + 1

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def token_texts(self) -> dict[int, str]:
        return dict(self.texts)

    @cached_property
    def emitted(self) -> tuple[Emitted, ...]:
        """Every output token in order, with its place in the trace."""
        return tuple(self._emitted())

    def _emitted(self) -> Iterator[Emitted]:
        position = len(self.prompt_ids)
        for step in self.steps:
            places = [*step.accepted, None][: step.emitted]
            for node, token_id in zip(places, step.path_ids, strict=False):
                source = "bonus" if node is None else step.nodes[node].source
                yield Emitted(token_id, position, step.index, node, source)
                position += 1

    @property
    def decode_steps(self) -> tuple[Step, ...]:
        return self.steps[1:]

    @property
    def reused_rows(self) -> int:
        """Cached rows of earlier turns that the run began with; the prefill ran the others."""
        return len(self.prompt_ids) - self.steps[0].rows

    @property
    def seconds(self) -> float:
        """From the start of the prefill to the end of the last step."""
        return self.steps[-1].started + self.steps[-1].seconds

    @property
    def label(self) -> str:
        return {"vanilla": "Vanilla", "eagle": "EAGLE", "eagley": "EAGLEY"}[self.config.method]
