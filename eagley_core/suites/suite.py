"""What a suite is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from eagley_core.prompt_file import PromptLine

Record = dict[str, Any]
"""One question as published."""


class Question(NamedTuple):
    """What is asked, and what is needed to judge an answer."""

    line: PromptLine
    truth: str = ""  # the right answer, where it is a word or a number
    record: Record = {}


class Verdict(NamedTuple):
    """An output judged."""

    answer: str | None  # what was taken from the output; None: it held none
    correct: bool | None  # None: not judged
    reason: str = ""  # why not


class HubSet(NamedTuple):
    """Where the model hub has it."""

    name: str
    config: str | None
    split: str


@dataclass(frozen=True)
class Suite:
    """One benchmark.

    question: from a record and its number in the file; raises KeyError, TypeError or ValueError.
    answer: what an output says, or None; None as a whole: the suite has no right answers.
    passes: whether an output is right. Only of a suite that `runs_code` it runs generated code.
    """

    name: str
    max_new_tokens: int  # where the command line gives none
    question: Callable[[Record, int], Question]
    answer: Callable[[Question, str], str | None] | None = None
    passes: Callable[[Question, str], Verdict] | None = None
    hub: HubSet | None = None
    own_file: Path | None = None  # what is read where no path is given
    runs_code: bool = False


def by_match(question: Question, answer: str) -> Verdict:
    """Right where the answer is the truth."""
    return Verdict(answer, answer == question.truth)
