"""Outputs of a suite's questions, judged lane by lane."""

import pytest

from eagley_core.suites import SUITES, gsm8k, humaneval
from eagley_core.suites.grading import graded
from tests.core.test_suites import GSM, HUMAN, WHOLE


def rows(*texts: tuple[str, str, str]) -> dict:
    named = ("lane", "question_id", "text")
    return {"rows": [dict(zip(named, t, strict=True), repeat=0, turn=0) for t in texts]}


def test_lanes_are_judged_question_by_question():
    lines = [gsm8k.question(GSM, 0), gsm8k.question(GSM | {"answer": "#### 5"}, 1)]
    result = rows(
        ("vanilla", "0", "1200"),
        ("vanilla", "1", "4"),
        ("eagle", "0", "so 1200"),
        ("eagle", "1", "6"),
        ("generate", "0", "none"),
    )
    found = graded(result, SUITES["gsm8k"], lines, False, lambda line: None)
    told = found["accuracy"]
    assert (told["vanilla"]["correct"], told["vanilla"]["of"]) == (1, 2)
    assert told["eagle"]["answers_equal_to_vanilla"] == 1
    assert told["eagle"]["different_questions"] == ["1"]
    assert told["generate"] | {"low": 0, "high": 0} == {
        "correct": 0,
        "of": 1,
        "value": 0.0,
        "low": 0,
        "high": 0,
        "compared": 1,
        "answers_equal_to_vanilla": 0,
        "different_questions": ["0"],
    }
    assert told["vanilla"]["low"] < 0.5 < told["vanilla"]["high"]
    assert [row["answer"] for row in found["rows"]] == ["1200", "4", "1200", "6", None]


def test_generated_code_is_not_run_unasked(monkeypatch):
    monkeypatch.setattr(humaneval.sandbox, "run", lambda program: pytest.fail("it was run"))
    lines = [humaneval.question(HUMAN, 0)]
    result = rows(("vanilla", "HumanEval/7", WHOLE))
    found = graded(result, SUITES["humaneval"], lines, False, lambda line: None)
    assert found["rows"][0]["correct"] is None
    assert found["rows"][0]["answer"].startswith("import math")
    assert found["accuracy"]["vanilla"]["value"] is None


def test_a_program_is_run_once_however_many_lanes_wrote_it(monkeypatch):
    ran = []
    monkeypatch.setattr(humaneval.sandbox, "run", lambda p: ran.append(p) or "passed")
    lines = [humaneval.question(HUMAN, 0)]
    result = rows(*((lane, "HumanEval/7", WHOLE) for lane in ("vanilla", "eagle")))
    found = graded(result, SUITES["humaneval"], lines, True, lambda line: None)
    assert len(ran) == 1
    assert ran[0].endswith("check(twice)\n")
    assert found["accuracy"]["eagle"]["correct"] == 1


def test_a_suite_without_answers_is_left_as_it_is():
    result = rows(("vanilla", "1", "x"))
    assert graded(result, SUITES["spec-bench"], [], False, pytest.fail) is result
