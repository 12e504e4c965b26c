"""MMLU (Hendrycks et al., 2009.03300): multiple choice, by the letter that is generated."""

import re

from eagley_core.prompt_file import PromptLine
from eagley_core.suites.suite import HubSet, Question, Record, Suite, by_match

LETTERS = "ABCD"
SAID = re.compile(r"answer(?:\s+is)?\s*:?\s*\**\(?([ABCD])\b", re.IGNORECASE)
FIRST = re.compile(r"^\W*([ABCD])(?![\w'])(?!\s+[a-z])")  # "A", "(B)", "C. Paris"; not "A cat"
ALONE = re.compile(r"\b([BCD])\b|\b(A)\b(?!\s+[a-z])")


def question(record: Record, number: int) -> Question:
    """As published: `question`, `choices`, `answer` (a letter, or a number from 0), `subject`."""
    choices, right = list(record["choices"]), record["answer"]
    if len(choices) != len(LETTERS):
        raise ValueError(f"{len(choices)} choices instead of {len(LETTERS)}")
    truth = LETTERS[right] if isinstance(right, int) else str(right).strip()
    if truth not in tuple(LETTERS):
        raise ValueError(f"the answer must be one of {LETTERS}, got {truth!r}")
    subject = str(record.get("subject", "mmlu"))
    name = str(record.get("question_id", f"{subject}/{number}"))
    return Question(PromptLine(name, subject, _asked(record["question"], choices, subject)), truth)


def _asked(text: str, choices: list[str], subject: str) -> str:
    options = "\n".join(
        f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=True)
    )
    head = f"A multiple choice question about {subject.replace('_', ' ')}."
    return f"{head}\n\n{text.strip()}\n{options}\n\nAnswer with the letter alone."


def answer(_: Question, text: str) -> str | None:
    """The letter that an output names: said to be the answer, at its start, or alone somewhere."""
    for pattern in (SAID, FIRST, ALONE):
        found = pattern.search(text)
        if found:
            return next(letter for letter in found.groups() if letter).upper()
    return None


SUITE = Suite(
    "mmlu",
    max_new_tokens=16,
    question=question,
    answer=answer,
    passes=by_match,
    hub=HubSet("cais/mmlu", "all", "test"),
)
