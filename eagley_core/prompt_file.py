"""Prompt files: JSON lines with `turns` (Spec-Bench's format) or `prompt`."""

import json
from pathlib import Path
from typing import Any, NamedTuple


class PromptLine(NamedTuple):
    """One question of a prompt file."""

    question_id: str
    category: str
    text: str
    later: tuple[str, ...] = ()  # turns after the first
    max_new_tokens: int | None = None  # its own limit, in place of the run's

    @property
    def turns(self) -> tuple[str, ...]:
        return (self.text, *self.later)

    def first(self) -> "PromptLine":
        """The question without its later turns."""
        return self._replace(later=())


def read_prompts(path: str | Path, limit: int | None = None) -> list[PromptLine]:
    """Read a prompt file; with a limit, that many lines spread evenly over its categories.

    Raises ValueError that names the line which is wrong.
    """
    try:
        rows = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8") from error
    lines = [_parsed(path, n, row) for n, row in enumerate(rows, start=1) if row.strip()]
    if not lines:
        raise ValueError(f"{path} holds no prompt")
    return lines if limit is None else spread(lines, limit)


def spread(lines: list[PromptLine], limit: int) -> list[PromptLine]:
    """`limit` lines taken in turn from every category, in the file's order within each."""
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    seen: dict[str, int] = {}
    turns = []
    for index, line in enumerate(lines):
        seen[line.category] = seen.get(line.category, 0) + 1
        turns.append((seen[line.category], index))
    chosen = sorted(index for _, index in sorted(turns)[:limit])
    return [lines[index] for index in chosen]


def _parsed(path: str | Path, number: int, row: str) -> PromptLine:
    try:
        return line_of(json.loads(row), number)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}, line {number} is not a prompt: {error!r}") from error


def line_of(record: dict[str, Any], number: int) -> PromptLine:
    """From a record of such a file. Raises KeyError, TypeError or ValueError."""
    text, *later = record["turns"] if "turns" in record else [record["prompt"]]
    if isinstance(record.get("turns"), str) or not all(
        isinstance(turn, str) for turn in (text, *later)
    ):
        raise TypeError("the prompt is not a string")
    limit = record.get("max_new_tokens")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise TypeError(f"max_new_tokens must be a whole number above 0, got {limit!r}")
    question = str(record.get("question_id", number))
    return PromptLine(question, str(record.get("category", "")), text, tuple(later), limit)
