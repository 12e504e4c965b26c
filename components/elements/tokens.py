"""A lane's output as tokens, each marked by its source."""

from typing import ClassVar

from components.elements.element import Element
from eagley_core.trace import Trace

LIVE = "live "  # begins the key of a text that is being written


class Tokens(Element):
    """Value: {"key", "tokens": [[text, source, step], …], "empty"}; `method`: the lane's.

    With the same key, only new tokens are drawn. While the key begins with LIVE, no token can be
    selected: there is no comparison yet that it belongs to.
    """

    template = "<div class='tokens' role='group' tabindex='0'></div>"
    script = "tokens"
    defaults: ClassVar = {"method": ""}


def token_list(trace: Trace) -> dict:
    """A finished run's tokens, as `Tokens` takes them."""
    pairs = zip(trace.pieces, trace.emitted, strict=True)
    tokens = [[piece, token.source, token.step] for piece, token in pairs]
    run = hash((trace.prompt_ids, trace.output_ids, trace.pieces, trace.config, trace.steps))
    return {"key": f"{trace.label} {run}", "tokens": tokens, "empty": ""}


def empty(note: str) -> dict:
    """A lane without tokens says why."""
    return {"key": note, "tokens": [], "empty": note}
