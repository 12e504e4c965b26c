"""The seed's three lengths (§5.2): answers under 50 tokens, over 200 tokens, and code.

The prompts are our own; each has a limit of its own. How long the answers were is reported: the
limit alone does not make an answer long.
"""

from pathlib import Path

from eagley_core.prompt_file import line_of
from eagley_core.suites.suite import Question, Record, Suite

NAMES = ("short", "long", "code")
FILE = Path(__file__).resolve().parents[2] / "assets" / "scenarios.jsonl"


def question(record: Record, number: int) -> Question:
    if record["category"] not in NAMES:
        raise ValueError(f"category must be among {', '.join(NAMES)}, got {record['category']!r}")
    return Question(line_of(record, number + 1))


SUITE = Suite("scenarios", max_new_tokens=256, question=question, own_file=FILE)
