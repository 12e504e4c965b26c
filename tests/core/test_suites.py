"""Published layouts in, questions out; outputs in, answers out."""

import gzip
import json
import sys
from types import SimpleNamespace

import pytest

from eagley_core.suites import SUITES, gsm8k, humaneval, mmlu
from eagley_core.suites.source import questions_of
from eagley_core.suites.suite import Question

GSM = {"question": "How many?", "answer": "It is 2 * 600 = 1,200.\n#### 1,200"}
HUMAN = {
    "task_id": "HumanEval/7",
    "prompt": 'import math\n\n\ndef twice(x):\n    """Twice x."""\n',
    "entry_point": "twice",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
    "canonical_solution": "    return 2 * x\n",
}
MMLU_ROWS = 'Which?,one,two,three,four,B\n"And ""now"", which?",a,b,c,d,D\n'


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_gsm8k_as_published_and_with_turns(tmp_path):
    turns = {"turns": ["So?"], "answer": "#### -3", "question_id": 9}
    path = written(tmp_path / "test.jsonl", GSM, turns)
    first, second = questions_of(SUITES["gsm8k"], path)
    assert (first.line.question_id, first.truth) == ("0", "1200")
    assert first.line.text.startswith("How many?\n")
    assert (second.line.question_id, second.truth) == ("9", "-3")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("6 * 7 = 42.", "42"),
        ("so $1,234.50 in all", "1234.5"),
        ("The answer is -7", "-7"),
        ("3.0", "3"),
        ("10", "10"),
        ("It takes .5 hours", "0.5"),
        ("between 3 and 5.\n\n#### 8", "8"),
        ("none at all", None),
    ],
)
def test_the_last_number_of_a_text(text, number):
    assert gsm8k.last_number(text) == number


def test_humaneval_as_published_and_packed(tmp_path):
    path = tmp_path / "HumanEval.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps(HUMAN) + "\n")
    (question,) = questions_of(SUITES["humaneval"], str(path))
    assert question.line.question_id == "HumanEval/7"
    assert "def twice(x):" in question.line.text


WHOLE = "def twice(x):\n    return 2 * x\n"
PROGRAM = f"import math\n\n\n\n{WHOLE}"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (f"Here it is:\n```python\n{WHOLE}```\nDone.", PROGRAM),
        (f"```\nprint(1)\n```\n```py\n{WHOLE}```", PROGRAM),
        (f"```python\n{WHOLE}", PROGRAM),
        (WHOLE, PROGRAM),
        ("    return 2 * x\n\nprint(twice(2))", HUMAN["prompt"] + "    return 2 * x\n"),
        ("```python\n    return 2 * x\n```", HUMAN["prompt"] + "    return 2 * x"),
        ("   ", None),
    ],
)
def test_the_program_of_an_output(text, program):
    question = humaneval.question(HUMAN, 0)
    found = humaneval.answer(question, text)
    assert found == program or (found or "").rstrip() == (program or "").rstrip()


def test_mmlu_in_its_published_layout(tmp_path):
    (tmp_path / "abstract_algebra_test.csv").write_text(MMLU_ROWS)
    (tmp_path / "virology_test.csv").write_text("Q,1,2,3,4,A\n")
    for path in (tmp_path, tmp_path / "abstract_algebra_test.csv"):
        first, second = questions_of(SUITES["mmlu"], str(path))[:2]
        assert (first.truth, second.truth) == ("B", "D")
        assert first.line.category == "abstract_algebra"
        assert "A. one\nB. two\nC. three\nD. four" in first.line.text
    assert len(questions_of(SUITES["mmlu"], str(tmp_path))) == 3


def test_mmlu_as_json_lines(tmp_path):
    record = {"question": "Q", "choices": ["1", "2", "3", "4"], "answer": 2, "subject": "law"}
    (question,) = questions_of(SUITES["mmlu"], written(tmp_path / "m.jsonl", record))
    assert (question.truth, question.line.category) == ("C", "law")


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("(C)", "C"),
        ("D. four", "D"),
        ("The answer is A.", "A"),
        ("answer: **(b)**", "B"),
        ("A good question. I would say C", "C"),
        ("I think that it is B because", "B"),
        ("A cat has four legs", None),
        ("no idea", None),
    ],
)
def test_the_letter_of_an_output(text, letter):
    assert mmlu.answer(Question(None), text) == letter


def test_spec_bench_keeps_its_turns_and_categories(tmp_path):
    records = [{"question_id": 81, "category": "writing", "turns": ["a", "b"]}]
    (question,) = questions_of(SUITES["spec-bench"], written(tmp_path / "q.jsonl", *records))
    assert question.line.turns == ("a", "b")
    assert question.line.category == "writing"


def test_the_scenarios_are_ours_and_each_has_a_limit():
    questions = questions_of(SUITES["scenarios"], None)
    limits = {q.line.category: q.line.max_new_tokens for q in questions}
    assert limits["short"] < 50 < 200 < limits["long"]
    assert set(limits) == {"short", "long", "code"}
    assert len(questions_of(SUITES["scenarios"], None, 6)) == 6


@pytest.mark.parametrize(
    ("suite", "text", "told"),
    [
        ("gsm8k", '{"question": "x", "answer": "12"}', "no number behind ####"),
        ("gsm8k", '{"answer": "#### 1"}', "record 1 is not a question of gsm8k"),
        ("gsm8k", "nonsense", "line 1 is not JSON"),
        ("gsm8k", "[1]", "line 1 is not an object"),
        ("gsm8k", "", "holds no question"),
        ("humaneval", '{"prompt": "x", "entry_point": 3, "test": ""}', "entry_point is not a"),
        ("mmlu", '{"question": "x", "choices": ["a"], "answer": 0}', "1 choices instead of 4"),
        ("mmlu", '{"question": "x", "choices": [1, 2, 3, 4], "answer": "E"}', "one of ABCD"),
        ("spec-bench", '{"turns": []}', "turns are empty"),
        ("scenarios", '{"category": "tiny", "prompt": "x"}', "short, long, code"),
        (
            "spec-bench",
            '{"question_id": 1, "turns": ["a"]}\n{"question_id": 1, "turns": ["b"]}',
            "'1' twice",
        ),
    ],
)
def test_another_layout_is_refused_in_one_line(tmp_path, suite, text, told):
    (tmp_path / "f.jsonl").write_text(text)
    with pytest.raises(ValueError, match=told):
        questions_of(SUITES[suite], str(tmp_path / "f.jsonl"))


def test_a_csv_row_of_another_length_is_refused(tmp_path):
    (tmp_path / "x_test.csv").write_text("Q,1,2,3,A\n")
    with pytest.raises(ValueError, match="row 1 has 5 fields"):
        questions_of(SUITES["mmlu"], str(tmp_path))


def test_the_hub_is_asked_by_datasets(monkeypatch):
    asked = []

    def load_dataset(name, config, split):
        asked.append((name, config, split))
        return [GSM]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    (question,) = questions_of(SUITES["gsm8k"], "openai/gsm8k")
    assert question.truth == "1200"
    assert asked == [("openai/gsm8k", "main", "test")]


def test_without_datasets_the_hub_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ValueError, match="package datasets"):
        questions_of(SUITES["gsm8k"], "openai/gsm8k")
    with pytest.raises(ValueError, match=r"there is no file missing\.jsonl"):
        questions_of(SUITES["gsm8k"], "missing.jsonl")
    with pytest.raises(ValueError, match="not read from the hub"):
        questions_of(SUITES["spec-bench"], "a/b")
    with pytest.raises(ValueError, match="needs --path"):
        questions_of(SUITES["gsm8k"], None)
