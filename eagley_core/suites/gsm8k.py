"""GSM8K (Cobbe et al., 2110.14168): exact match of the answer's last number with the right one."""

import re
from decimal import Decimal

from eagley_core.prompt_file import PromptLine
from eagley_core.suites.suite import HubSet, Question, Record, Suite, by_match

ASK = "\nThink step by step. Then give the answer as a number, on a line of its own."
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?|-?\.\d+")
MARK = "####"  # before the right answer, in the published solutions


def question(record: Record, number: int) -> Question:
    """As published (`question`, `answer`), or with `turns` in place of `question`."""
    text = record["turns"][0] if "turns" in record else record["question"]
    _, mark, right = record["answer"].rpartition(MARK)
    truth = last_number(right) if mark else None
    if truth is None:
        raise ValueError(f"the answer has no number behind {MARK}")
    name = str(record.get("question_id", number))
    return Question(PromptLine(name, "gsm8k", text + ASK), truth)


def answer(_: Question, text: str) -> str | None:
    return last_number(text)


def last_number(text: str) -> str | None:
    """The last number of a text in plain notation: without thousands' commas or idle zeros."""
    found = NUMBER.findall(text)
    if not found:
        return None
    return format(Decimal(found[-1].replace(",", "")).normalize() + 0, "f")


SUITE = Suite(
    "gsm8k",
    max_new_tokens=256,
    question=question,
    answer=answer,
    passes=by_match,
    hub=HubSet("openai/gsm8k", "main", "test"),
)
