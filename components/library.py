"""Every comparison that the page can open, by its key.

A key is the slug of a recorded run or a key of the shelf. `a+b` is two runs of one prompt side by
side, and `a~eagle,eagley` some of the lanes.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, get_args

from components.runs import Recorded, opened
from components.selection import Comparison, Lane, lane_names
from components.shelf import OWN, Shelf
from components.words import Phrase
from eagley_core.config import Method
from eagley_core.trace import Trace

BESIDE: Final = "+"
LANES: Final = "~"
BETWEEN: Final = ","
LONGEST: Final = 400  # characters of a key
GONE: Final = Phrase("This run is no longer kept here: open its file, or run the prompt again.")
UNKNOWN: Final = Phrase("There is no run of this name here.")
OTHER_PROMPT: Final = Phrase(
    "The two runs have different prompts. Only runs of one prompt can stand side by side."
)


class Library:
    """The recorded runs, and what visitors put on the shelf."""

    def __init__(self, runs: tuple[Recorded, ...], shelf: Shelf) -> None:
        self.runs, self.shelf = runs, shelf
        self._recorded = {run.slug: run for run in runs}

    def find(self, key: str) -> Comparison:
        """Raises LookupError for a run that is not here, ValueError where runs cannot be joined,
        and what a damaged file raises, each with one line."""
        if not isinstance(key, str) or len(key) > LONGEST:
            raise LookupError(UNKNOWN)
        runs, _, lanes = key.partition(LANES)
        first, *others = runs.split(BESIDE)
        found = self._one(first)
        for other in others[:1]:
            found = beside(found, self._one(other))
        if not lanes:
            return found
        return replace(found.only(lanes.split(BETWEEN)), key=key, path=None)  # no file holds these

    def _one(self, key: str) -> Comparison:
        if key in self._recorded:
            return opened(self._recorded[key])
        found = self.shelf.get(key)
        if found is None:
            raise LookupError(GONE if key.startswith(OWN) else UNKNOWN)
        return found


def whole(key: str) -> str:
    """The key without a choice of lanes."""
    return key.partition(LANES)[0]


def with_lanes(key: str, lanes: Iterable[Lane]) -> str:
    """The key that shows these lanes of a run."""
    return f"{whole(key)}{LANES}{BETWEEN.join(sorted(set(lanes)))}"


def beside(one: Comparison, other: Comparison) -> Comparison:
    """Two runs of a prompt as one: of each method, the first lane of either."""
    if one.reference.prompt_ids != other.reference.prompt_ids:
        raise ValueError(OTHER_PROMPT)
    traces = tuple(
        trace
        for method in get_args(Method)
        for trace in (_first(one, method), _first(other, method))
        if trace is not None
    )
    key = f"{one.key}{BESIDE}{other.key}"
    return Comparison(f"{one.name} + {other.name}", traces, None, key, lane_names(traces))


def _first(comparison: Comparison, method: Method) -> Trace | None:
    return next((t for t in comparison.traces if t.config.method == method), None)
