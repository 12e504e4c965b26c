"""A lane's output as tokens, each marked by its source."""

from typing import ClassVar

from components.element import Element
from components.marks import DRAWN
from eagley_core.trace import Trace

NOWHERE = {"selected": None, "span": []}


class Tokens(Element):
    """Value: {"key", "tokens": [[text, source, step], …], "empty"}.

    With the same key, only new tokens are drawn. `at` is {"selected": an output index or None,
    "span": the first output index of its step and the one after its last}.
    Event `pick`: `position`.
    """

    template = "<div class='tokens' role='group'></div>"
    script = "old_tokens"
    defaults: ClassVar = {"at": NOWHERE, "names": {name: m.words for name, m in DRAWN.items()}}


def token_list(trace: Trace) -> dict:
    """A finished run's tokens, as `Tokens` takes them."""
    pairs = zip(trace.pieces, trace.emitted, strict=True)
    tokens = [[piece, token.source, token.step] for piece, token in pairs]
    run = hash((trace.prompt_ids, trace.output_ids, trace.pieces, trace.config, trace.steps))
    return {"key": f"{trace.label} {run}", "tokens": tokens, "empty": ""}


def empty(note: str) -> dict:
    """A lane without tokens says why."""
    return {"key": note, "tokens": [], "empty": note}
