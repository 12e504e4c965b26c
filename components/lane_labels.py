"""What lanes are called where two of them have the same method: by what differs."""

from typing import Final

from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.trace import Trace

SETTINGS: Final = {
    "rule": Phrase("rule {value}"),
    "reuse": Phrase("channels {value}"),
    "temperature": Phrase("temperature {value}"),
    "seed": Phrase("seed {value}"),
    "tree": Phrase("tree {value}"),
    "top_p": Phrase("top-p {value}"),
    "top_k": Phrase("top-k {value}"),
    "repetition_penalty": Phrase("repetition penalty {value}"),
    "max_new_tokens": Phrase("at most {value} tokens"),
}
RUN: Final = {"draft": Phrase("draft {value}"), "target": Phrase("target {value}")}


def lane_labels(comparison: Comparison, say: Words = ENGLISH) -> dict[Lane, str]:
    """The label of each lane: its method, and what tells it from others of that method."""
    return {name: _label(name, comparison, say) for name in comparison.lanes}


def _label(name: Lane, comparison: Comparison, say: Words) -> str:
    trace = comparison.lanes[name]
    names = [n for n, t in comparison.lanes.items() if t.config.method == trace.config.method]
    if len(names) == 1:
        return say(trace.label)
    alike = [comparison.lanes[n] for n in names]
    told = [say(SETTINGS[key], value=_value(trace, key)) for key in _differing(alike)]
    told += [
        say(phrase, value=getattr(trace, key) or "–")
        for key, phrase in RUN.items()
        if len({getattr(t, key) for t in alike}) > 1
    ]
    numbered = f"{say(trace.label)} {names.index(name) + 1}"
    return f"{numbered}: {', '.join(told)}" if told else numbered


def _differing(traces: list[Trace]) -> list[str]:
    return [name for name in SETTINGS if len({getattr(t.config, name) for t in traces}) > 1]


def _value(trace: Trace, name: str) -> str:
    value = getattr(trace.config, name)
    return (", ".join(value) or "–") if isinstance(value, tuple) else str(value)
