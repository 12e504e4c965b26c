"""A hand-drawn run: a prefill and one step with every kind of node.

step 1:  The ── sky(0, accepted) ── is(2, recycled, accepted) ── blue (bonus)
          └──── <b>(1, rejected) ── x(3, untested)
"""

from dataclasses import replace
from typing import get_args

from sample_traces import ENVIRONMENT

from eagley_core.config import DecodeConfig
from eagley_core.trace import (
    CacheRun,
    Candidate,
    Node,
    Origin,
    Prediction,
    Provenance,
    Source,
    Step,
    Trace,
)

TEXTS = {0: "prompt", 1: "The", 2: " sky", 3: "<b>", 4: " is", 5: " x", 6: " blue"}


def prediction(choice: int) -> Prediction:
    return Prediction(choice, 0.5, 2.0, (Candidate(choice, 0.8), Candidate(5, 0.1)))


def node(parent: int, depth: int, token_id: int, verdict: str, choice: int, **more) -> Node:
    is_accepted = verdict == "accepted"
    facts = {
        "source": "draft",
        "sources": ("draft",),
        "draft_probability": 0.5,
        "score": -0.7,
        "value": 0.5,
        "probability": float(is_accepted),
        "raw_probability": 0.9 if is_accepted else 0.1,
        "rank": 0 if is_accepted else 3,
        "draw": 0.25,
        "compared": None if verdict == "untested" else float(token_id),
        "threshold": None if verdict == "untested" else float(choice),
        "origin": None,
    }
    return Node(
        parent=parent,
        depth=depth,
        token_id=token_id,
        verdict=verdict,
        after=prediction(choice),
        **(facts | more),
    )


RECYCLED = {
    "source": "recycled",
    "sources": ("recycled",),
    "draft_probability": None,
    "score": None,
    "origin": Origin(0, 3, False),
}
NODES = (
    node(-1, 1, 2, "accepted", 4),
    node(-1, 1, 3, "rejected", 5),
    node(0, 2, 4, "accepted", 6, **RECYCLED),
    node(1, 2, 5, "untested", 5),
)


def step(index: int, nodes=(), accepted=(), **more) -> Step:
    facts = {
        "kind": "decode" if index else "prefill",
        "root_id": 1 if index else 0,
        "position": index,
        "after_root": prediction(2 if index else 1),
        "bonus_id": 6 if index else 1,
        "emitted": len(accepted) + 1,
        "rows": len(nodes) + 1,
        "draft_passes": 2 * index,
        "store_bytes": 0,
        "started": 0.1 * index,
        "draft_seconds": 0.01 * index,
        "verify_seconds": 0.05,
        "accept_seconds": 0.001,
        "commit_seconds": 0.002,
        "estimate": None,
        "cache": (CacheRun(0, 1, "prefill"),),
    }
    return Step(index=index, nodes=nodes, accepted=accepted, **(facts | more))


CACHE = (CacheRun(0, 1, "prefill"), CacheRun(1, 4, "verified"), CacheRun(4, 6, "dropped"))


def tiny_trace() -> Trace:
    return Trace(
        name="tiny",
        category="chat",
        prompt="prompt",
        config=DecodeConfig("eagley", numerics="invariant"),
        target="target",
        draft="draft",
        environment=ENVIRONMENT,
        prompt_ids=(0,),
        output_ids=(1, 2, 4, 6),
        pieces=("The", " sky", " is", " blue"),
        texts=tuple(TEXTS.items()),
        steps=(step(0), step(1, NODES, (0, 2), cache=CACHE)),
        finish_reason="length",
        record_seconds=0.0,
    )


def long_trace(count: int) -> Trace:
    """The tiny run with its one step many times over. Not a run that can be: the text repeats."""
    tiny = tiny_trace()
    again = (
        replace(tiny.steps[1], index=i, position=3 * i - 2, started=0.1 * i)
        for i in range(1, count)
    )
    ids = (1, *(2, 4, 6) * (count - 1))
    pieces = tuple(TEXTS[i] for i in ids)
    return replace(tiny, steps=(tiny.steps[0], *again), output_ids=ids, pieces=pieces)


def every_trace() -> Trace:
    """The second turn of a chat: a chain with a node of each source, all accepted, and beside it a
    rejected node of each; every provenance among its cached rows."""
    sources = get_args(Source)
    above = (-1, *range(0, 2 * len(sources) - 2, 2))
    pairs = enumerate(zip(sources, above, strict=True), start=1)
    chain = [_of(source, parent, depth, "accepted") for depth, (source, parent) in pairs]
    wrong = [_of(node.source, node.parent, node.depth, "rejected") for node in chain]
    nodes = tuple(n for pair in zip(chain, wrong, strict=True) for n in pair)
    path = tuple(range(0, len(nodes), 2))
    cache = [CacheRun(i, i + 1, name) for i, name in enumerate(get_args(Provenance))]
    cache[-1] = replace(cache[-1], age=2)
    ids = (1, *[4] * len(sources), 6)
    reuse = ("recycled", "suffix", "ngram", "draft-state", "stale-kv:4")
    return replace(
        tiny_trace(),
        config=DecodeConfig("eagley", reuse=reuse),
        turn=1,
        output_ids=ids,
        pieces=tuple(TEXTS[i] for i in ids),
        steps=(step(0), step(1, nodes, path, cache=tuple(cache), after_root=prediction(4))),
    )


def _of(source: Source, parent: int, depth: int, verdict: str) -> Node:
    is_stored = source in ("recycled", "suffix", "stale")
    own = {
        "source": source,
        "sources": (source,),
        "draft_probability": 0.5 if source == "draft" else None,
        "origin": Origin(3, 2, verdict == "accepted", turn=0) if is_stored else None,
    }
    return node(parent, depth, 4 if verdict == "accepted" else 5, verdict, 4, **own)
