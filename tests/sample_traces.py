"""Small traces made by hand rules: realistic enough to draw, quick enough to make anywhere.

The text is fixed. A pretend draft finds the next word in its tree with a known chance, EAGLEY adds
recycled nodes, and the exact rule accepts what agrees with the text.
"""

import random
import re
from dataclasses import dataclass, field

from eagley_core.config import DecodeConfig, Method
from eagley_core.trace import (
    CacheRun,
    Candidate,
    Environment,
    Estimate,
    Node,
    Origin,
    Prediction,
    Step,
    Trace,
)

PROMPT = "Explain in a few sentences why the sky is blue."
TEXT = (
    "The sky looks blue because of the way sunlight meets the air.\n\n"
    "Sunlight holds every colour, and each colour is a wave of its own length. The molecules of "
    "the air scatter short waves, such as blue, far more than long waves, such as red. "
    "So blue light reaches your eyes from every side:\n"
    "1. Red light passes almost straight through.\n"
    "2. Blue light is scattered again and again.\n"
    "In <b>short</b>, the sky is blue because blue light is scattered most."
)
WORDS = tuple(re.findall(r"\n|\s?[\w<>/]+|[^\w\s]|\s", TEXT))
PROMPT_IDS = tuple(range(1000, 1032))
CHANCE = {1: 0.72, 2: 0.6, 3: 0.5, 4: 0.42}
KEPT = ("recycled", "suffix", "recycled", "draft-state", "recycled")  # EAGLEY's sources, in turn
VOCABULARY = tuple(dict.fromkeys(WORDS)) + (" a", " light", " that", " and", "<i>", " ")
IDS = {word: index for index, word in enumerate(VOCABULARY)}
ENVIRONMENT = Environment(
    "cpu", "bfloat16", 2, "rows keep their bits", "pretend processor", "3.11", "2.13", "5.24"
)


@dataclass
class Pretend:
    """A run in the making."""

    method: Method
    words: tuple[str, ...]
    chance: random.Random
    clock: float = 0.0
    steps: list[Step] = field(default_factory=list)

    def step(self, done: int) -> None:
        """One step after `done` output words."""
        nodes = self._tree(done) if self.method != "vanilla" and self.steps else ()
        accepted = self._accepted(nodes, done)
        follow = self._next(done + len(accepted))
        rows = 2 if not nodes else 1 + len(nodes)
        self._add(done, nodes, accepted, (follow, rows))

    def _next(self, index: int) -> int:
        return IDS[self.words[index]] if index < len(self.words) else IDS["."]

    def _prediction(self, index: int) -> Prediction:
        sure = 0.4 + 0.55 * self.chance.random()
        other = self.chance.randrange(len(VOCABULARY))
        top = (Candidate(self._next(index), sure), Candidate(other, (1 - sure) / 2))
        return Prediction(self._next(index), 2.5 * (1 - sure), 4 * sure, top)

    def _tree(self, done: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        on_path: int | None = -1
        for depth in range(1, 5):
            parent = len(nodes) - 1 if on_path is None else on_path
            if depth > 1 and on_path is None and self.chance.random() < 0.5:
                break
            found = self._level(nodes, (parent, depth), done, on_path is not None)
            on_path = found
        return tuple(nodes)

    def _level(self, nodes, place, done, is_open) -> int | None:
        """Two or three siblings; the index of the one that agrees with the text."""
        parent, depth = place
        truth = self._next(done + depth - 1)
        hit = is_open and self.chance.random() < CHANCE[depth]
        recycled_hit = is_open and not hit and self.method == "eagley"
        recycled_hit = recycled_hit and self.chance.random() < 0.45
        ids = [truth if hit else self._wrong(truth), self._wrong(truth)]
        ids += [truth if recycled_hit else self._wrong(truth)] * (self.method == "eagley")
        found = None
        for rank, token_id in enumerate(dict.fromkeys(ids)):
            is_true = is_open and token_id == truth
            is_kept = token_id == ids[-1] and self.method == "eagley"
            source = KEPT[(len(self.steps) + depth) % len(KEPT)] if is_kept else "draft"
            if is_true:
                found = len(nodes)
            nodes.append(self._node(place, token_id, (source, rank), (is_open, is_true), done))
        return found

    def _wrong(self, truth: int) -> int:
        return (truth + 1 + self.chance.randrange(len(VOCABULARY) - 1)) % len(VOCABULARY)

    def _node(self, place, token_id, kind, state, done) -> Node:
        parent, depth = place
        source, rank = kind
        is_open, is_true = state
        p = 0.3 + 0.6 * self.chance.random() if is_true else 0.25 * self.chance.random()
        q = None if source != "draft" else 0.6 / (rank + 1) * self.chance.random() + 0.05
        choice = float(self._next(done + depth - 1))
        return Node(
            parent=parent,
            depth=depth,
            token_id=token_id,
            source=source,
            sources=(source,),
            draft_probability=q,
            score=None if q is None else -depth * (1 - q),
            value=0.5 * 0.7**depth,
            probability=float(is_true),
            raw_probability=p,
            rank=0 if is_true else rank + 1,
            draw=self.chance.random(),
            compared=float(token_id) if is_open else None,
            threshold=choice if is_open else None,
            verdict="accepted" if is_true else "rejected" if is_open else "untested",
            origin=self._origin() if source in ("recycled", "suffix") else None,
            after=self._prediction(done + depth if is_true else 3),
        )

    def _origin(self) -> Origin:
        back = self.chance.randrange(len(self.steps))
        return Origin(back, 0 if back else 5, bool(back))

    def _accepted(self, nodes, done) -> tuple[int, ...]:
        return tuple(i for i, node in enumerate(nodes) if node.verdict == "accepted")

    def _add(self, done, nodes, accepted, follow_and_rows) -> None:
        follow, rows = follow_and_rows
        index = len(self.steps)
        emitted = min(len(accepted) + 1, len(self.words) - done)
        seconds = self._seconds(nodes, rows, index)
        position = len(PROMPT_IDS) + done - 1
        self.steps.append(
            Step(
                index=index,
                kind="decode" if index else "prefill",
                root_id=IDS[self.words[done - 1]] if done else PROMPT_IDS[-1],
                position=position,
                after_root=self._prediction(done),
                nodes=nodes,
                accepted=accepted,
                bonus_id=follow,
                emitted=emitted,
                rows=rows if index else len(PROMPT_IDS),
                draft_passes=max((n.depth for n in nodes), default=0),
                store_bytes=240 * index if self.method == "eagley" else 0,
                started=self.clock,
                **seconds,
                estimate=Estimate(2.1, 0.006, 0.02) if nodes else None,
                cache=self._cache(position, accepted, len(nodes), index),
            )
        )
        self.clock += sum(seconds.values()) + 0.0004

    def _seconds(self, nodes, rows, index) -> dict[str, float]:
        jitter = 0.9 + 0.2 * self.chance.random()
        passes = max((node.depth for node in nodes), default=0)
        return {
            "draft_seconds": 0.0018 * passes * jitter,
            "verify_seconds": (0.017 + 0.0004 * rows if index else 0.06) * jitter,
            "accept_seconds": 0.0006 * jitter,
            "commit_seconds": 0.0009 * jitter,
        }

    def _cache(self, position, accepted, nodes, index) -> tuple[CacheRun, ...]:
        prompt = len(PROMPT_IDS)
        if index == 0:
            return (CacheRun(0, prompt, "prefill"),)
        fresh = position + 1 + len(accepted)
        runs = (
            CacheRun(0, prompt, "prefill"),
            CacheRun(prompt, position, "kept"),
            CacheRun(position, fresh, "verified"),
            CacheRun(fresh, fresh + nodes - len(accepted), "dropped"),
        )
        return tuple(run for run in runs if run.stop > run.start)


def sample_trace(method: Method, words: tuple[str, ...] = WORDS, seed: int = 7) -> Trace:
    """A run of `words`; the last step is cut when it would have emitted more."""
    run = Pretend(method, words, random.Random(seed))
    done = 0
    while done < len(words):
        run.step(done)
        done += run.steps[-1].emitted
    return Trace(
        name="sky",
        category="chat",
        prompt=PROMPT,
        config=DecodeConfig(method, max_new_tokens=len(words), numerics="invariant"),
        target="SmolLM2-135M-Instruct",
        draft="" if method == "vanilla" else "EAGLE-3 head",
        environment=ENVIRONMENT,
        prompt_ids=PROMPT_IDS,
        output_ids=tuple(IDS[word] for word in words),
        pieces=tuple(words),
        texts=(*enumerate(VOCABULARY), (PROMPT_IDS[-1], "assistant")),
        steps=tuple(run.steps),
        finish_reason="length",
        record_seconds=0.001,
    )


def sample_traces(words: tuple[str, ...] = WORDS, seed: int = 7) -> tuple[Trace, ...]:
    """The three lanes of one prompt."""
    return tuple(sample_trace(method, words, seed) for method in ("vanilla", "eagle", "eagley"))
