"""Spec-Bench (Xia et al., 2401.07851): 480 questions of 13 categories. It has no right answers."""

from eagley_core.prompt_file import line_of
from eagley_core.suites.suite import Question, Record, Suite


def question(record: Record, number: int) -> Question:
    """As published: `question_id`, `category`, `turns`."""
    if not record["turns"]:
        raise ValueError("turns are empty")
    return Question(line_of(record, number + 1))


SUITE = Suite("spec-bench", max_new_tokens=128, question=question)
