"""A suite's records, from published files or from the hub."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from eagley_core.prompt_file import spread
from eagley_core.suites.suite import HubSet, Question, Record, Suite

LETTERS = "ABCD"
SPLITS = ("_test", "_val", "_dev")  # endings of MMLU's files


def questions_of(suite: Suite, path: str | None, limit: int | None = None) -> list[Question]:
    """path: a file, a folder of CSV files, or a data set's name on the hub; None: its own file.

    With a limit that many questions, spread over categories. Raises ValueError in one line.
    """
    where = path or suite.own_file
    if where is None:
        raise ValueError(f"suite {suite.name} needs --path: its file, or a data set of the hub")
    found = []
    for number, record in enumerate(_records(str(where), suite.hub)):
        try:
            found.append(suite.question(record, number))
        except (KeyError, TypeError, ValueError) as error:
            told = f"{where}, record {number + 1} is not a question of {suite.name}"
            raise ValueError(f"{told}: {error!r}") from error
    if not found:
        raise ValueError(f"{where} holds no question")
    _check_names(found, str(where))
    return found if limit is None else _spread(found, limit)


def _check_names(questions: list[Question], where: str) -> None:
    seen: set[str] = set()
    for name in (question.line.question_id for question in questions):
        if name in seen:
            raise ValueError(f"{where} has the question_id {name!r} twice")
        seen.add(name)


def _spread(questions: list[Question], limit: int) -> list[Question]:
    chosen = {line.question_id for line in spread([q.line for q in questions], limit)}
    return [question for question in questions if question.line.question_id in chosen]


def _records(where: str, hub: HubSet | None) -> Iterator[Record]:
    path = Path(where)
    if path.is_dir():
        files = sorted(path.glob("*.csv"))
        if not files:
            raise ValueError(f"{path} holds no CSV file")
        for file in files:
            yield from _of_csv(file)
    elif path.is_file():
        yield from _of_csv(path) if path.suffix == ".csv" else _of_json_lines(path)
    else:
        yield from _of_hub(where, hub)


def _of_json_lines(path: Path) -> Iterator[Record]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if _is_packed(path)
            else path.open(encoding="utf-8") as file
        ):
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _object(path, number, line)
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise ValueError(f"{path} is not a text file in UTF-8") from error


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _object(path: Path, number: int, line: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{path}, line {number} is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"{path}, line {number} is not an object")
    return record


def _of_csv(path: Path) -> Iterator[Record]:
    """MMLU's layout: question, four choices and a letter, no heading; a subject a file."""
    subject = path.stem
    for ending in SPLITS:
        subject = subject.removesuffix(ending)
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), start=1):
            if len(row) != len(LETTERS) + 2:
                raise ValueError(f"{path}, row {number} has {len(row)} fields instead of 6")
            question, *choices, answer = row
            yield {"question": question, "choices": choices, "answer": answer, "subject": subject}


def _of_hub(name: str, hub: HubSet | None) -> Iterator[Record]:
    """By the package `datasets`. The suite's own configuration and split are asked for."""
    if "/" not in name or name.startswith(("/", ".", "~")):
        raise ValueError(f"there is no file {name}")
    if hub is None:
        raise ValueError(f"there is no file {name}, and this suite is not read from the hub")
    try:
        import datasets
    except ImportError as error:
        told = f"there is no file {name}, and the package datasets, which could ask the hub, is not"
        raise ValueError(f"{told} installed") from error
    try:
        yield from datasets.load_dataset(name, hub.config, split=hub.split)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {name} from the hub: {error}") from error
