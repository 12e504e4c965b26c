"""Outputs of a suite's questions judged, once everything is timed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from eagley_core.statistics import share_interval
from eagley_core.suites.suite import Question, Suite, Verdict

Row = dict[str, Any]


def graded(
    result: Row,
    suite: Suite,
    questions: Sequence[Question],
    runs_code: bool,
    tell: Callable[[str], None],
) -> Row:
    """The result with every row's answer and verdict, and the accuracy of every lane.

    Only the first turn and repeat is judged. Without `runs_code` a suite that needs it has answers
    and no verdicts.
    """
    if suite.answer is None:
        return result
    by_name = {question.line.question_id: question for question in questions}
    judge = partial(_verdict, suite, suite.passes if runs_code or not suite.runs_code else None)
    known: dict[tuple[str, str], Verdict] = {}
    rows = []
    for row in result["rows"]:
        key = (row["question_id"], row["text"])
        if key not in known:
            tell(f"judging {key[0]}")
            known[key] = judge(by_name[key[0]], key[1])
        rows.append(row | known[key]._asdict())
    return result | {"rows": rows, "accuracy": accuracy(rows)}


def _verdict(suite: Suite, passes: Callable | None, question: Question, text: str) -> Verdict:
    answer = suite.answer(question, text)
    if answer is None:
        return Verdict(None, False if passes else None, "no answer found")
    if passes is None:
        return Verdict(answer, None, "generated code was not run")
    return passes(question, answer)


def accuracy(rows: Sequence[Row]) -> dict[str, Row]:
    """By lane: right answers, and how many answers are vanilla's, question by question."""
    first = [row for row in rows if row["repeat"] == 0 and not row["turn"]]
    lanes = dict.fromkeys(row["lane"] for row in first)
    by_lane = {n: {r["question_id"]: r for r in first if r["lane"] == n} for n in lanes}
    vanilla = by_lane.get("vanilla", {})
    return {name: _share(list(own.values()), vanilla) for name, own in by_lane.items()}


def _share(rows: Sequence[Row], vanilla: dict[str, Row]) -> Row:
    judged = [row for row in rows if row["correct"] is not None]
    right = sum(row["correct"] for row in judged)
    both = [(row, vanilla[row["question_id"]]) for row in rows if row["question_id"] in vanilla]
    different = [ours["question_id"] for ours, v in both if ours["answer"] != v["answer"]]
    low, high = share_interval(right, len(judged))
    return {
        "correct": right,
        "of": len(judged),
        "value": right / len(judged) if judged else None,
        "low": low,
        "high": high,
        "compared": len(both),
        "answers_equal_to_vanilla": len(both) - len(different),
        "different_questions": different,
    }
