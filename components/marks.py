"""How every source of a token and every provenance of a cached row is named and drawn.

The colour of a source is its role in `theme`. Each has a second cue beside it: a dash in the tree,
an underline in the text, a letter in the charts.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from components.words import Phrase
from eagley_core.trace import Step, Trace


class Mark(NamedTuple):
    """A source in words and beside its colour."""

    words: Phrase
    short: Phrase
    letter: str  # of an accepted node, in the charts
    dash: str  # of its lines, as Plotly reads it
    underline: str  # of its tokens, as CSS text-decoration has it

    @property
    def strokes(self) -> str:
        """The dash as SVG reads it."""
        return "" if self.dash == "solid" else self.dash.replace("px", "").replace(",", " ")


DRAWN: Final = {
    "draft": Mark(
        Phrase("proposed by the draft"), Phrase("drafted"), "A", "solid", "underline solid 2px"
    ),
    "recycled": Mark(
        Phrase("recycled: kept from an earlier pass"),
        Phrase("recycled"),
        "A*",
        "2px,3px",
        "underline wavy 1.5px",
    ),
    "suffix": Mark(
        Phrase("the rest of a rejected branch, tried again"),
        Phrase("suffix"),
        "As",
        "9px,3px,2px,3px",
        "underline double 1.5px",
    ),
    "ngram": Mark(
        Phrase("looked up in the text so far"),
        Phrase("n-gram"),
        "An",
        "9px,3px,2px,3px,2px,3px",
        "underline overline solid 1.5px",
    ),
    "draft-state": Mark(
        Phrase("what the draft said for an earlier tree"),
        Phrase("draft state"),
        "Ad",
        "12px,3px",
        "underline dashed 2px",
    ),
    "stale": Mark(
        Phrase("a rejected branch, taken on its old verdict"),
        Phrase("stale"),
        "At",
        "4px,2px",
        "underline overline dotted 2px",
    ),
    "bonus": Mark(
        Phrase("the target's own"), Phrase("bonus"), "B", "6px,4px", "underline dotted 2px"
    ),
}
PROPOSED: Final = {source: mark for source, mark in DRAWN.items() if source != "bonus"}


class Row(NamedTuple):
    """A provenance of cached rows in words, with a role of `theme` and a letter."""

    words: Phrase
    role: str
    letter: str = ""  # written into the cells of what is rare


PROVENANCES: Final = {
    "prefill": Row(Phrase("computed with the prompt"), "grey"),
    "kept": Row(Phrase("computed in an earlier pass and kept"), "draft_pale"),
    "verified": Row(Phrase("computed in this step's pass"), "draft"),
    "dropped": Row(Phrase("computed in this step's pass and dropped"), "rejected"),
    "draft": Row(Phrase("the draft's own row"), "sky", "D"),
    "shared": Row(Phrase("begun by drafting in the target's first layers"), "recycled", "H"),
    "substituted": Row(Phrase("the draft's row in place of the target's"), "purple", "S"),
    "stale": Row(Phrase("computed behind a token that was rejected"), "stale", "T"),
}


def in_text(traces: Iterable[Trace]) -> tuple[str, ...]:
    """The sources of the output tokens of these runs, in the order of DRAWN."""
    return _ordered(token.source for trace in traces for token in trace.emitted)


def in_trees(traces: Iterable[Trace]) -> tuple[str, ...]:
    """The sources of the nodes of these runs, and the bonus."""
    nodes = (node.source for trace in traces for step in trace.steps for node in step.nodes)
    return _ordered((*nodes, "bonus"))


def expected(channels: Iterable[str]) -> tuple[str, ...]:
    """The sources that a run with these channels can have."""
    names = {text.partition(":")[0].replace("stale-kv", "stale") for text in channels}
    return _ordered({"draft", "bonus"} | names)


def _ordered(found: Iterable[str]) -> tuple[str, ...]:
    names = set(found)
    return tuple(source for source in DRAWN if source in names)


def provenances(steps: Iterable[Step]) -> tuple[str, ...]:
    """The provenances of the rows of these steps, in the order of PROVENANCES."""
    found = {run.provenance for step in steps for run in step.cache}
    return tuple(name for name in PROVENANCES if name in found)
