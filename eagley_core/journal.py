"""Finished items of a bench, kept as they come, so that stopped work can go on."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eagley_core.errors import Observed
from eagley_core.judge import Case, Judge, Standing
from eagley_core.rule import Rule

FORMAT = "eagley-journal"
Row = dict[str, Any]


def digest(*plan: object) -> str:
    """A short name for what is to be run: equal plans have equal ones."""
    return hashlib.sha256(repr(plan).encode()).hexdigest()[:16]


class Journal:
    """Rows by item. With a file, every item is written there as soon as it is finished."""

    def __init__(self, path: Path | None = None, plan: str = "", resume: bool = False) -> None:
        """plan: the `digest` of what is run. A file of another plan, or one that is there already
        without `resume`, raises ValueError."""
        self._path, self._done = path, {}
        if path is None:
            return
        if path.is_file():
            self._done = _read(path, plan)
            if not resume:
                raise ValueError(
                    f"{path} holds {len(self._done)} finished items: go on with --resume, or "
                    "delete it"
                )
        _write(path, plan, self._done)

    def __contains__(self, key: str) -> bool:
        return key in self._done

    def __len__(self) -> int:
        return len(self._done)

    def rows(self, key: str) -> Sequence[Row]:
        return self._done[key]

    def add(self, key: str, rows: Sequence[Row]) -> None:
        """Keep a finished item. Raises ValueError where it is there already."""
        if key in self._done:
            raise ValueError(f"item {key} was finished before")
        self._done[key] = rows
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(key, rows))
                file.flush()
                os.fsync(file.fileno())

    def remove(self) -> None:
        """Delete the file: the result is written."""
        if self._path:
            self._path.unlink()


def _line(key: str, rows: Sequence[Row]) -> str:
    stored = [row | {"observed": _plain(row["observed"])} for row in rows]
    return json.dumps({"item": key, "rows": stored}, ensure_ascii=False) + "\n"


def _write(path: Path, plan: str, done: dict[str, Sequence[Row]]) -> None:
    """A whole new file, in one move."""
    part = path.with_name(path.name + ".part")
    head = json.dumps({"format": FORMAT, "plan": plan}) + "\n"
    part.write_text(head + "".join(_line(*item) for item in done.items()), encoding="utf-8")
    part.replace(path)


def _read(path: Path, plan: str) -> dict[str, Sequence[Row]]:
    """The finished items. A last line that was cut short is left out."""
    head, *lines = path.read_text(encoding="utf-8").split("\n")
    try:
        found = json.loads(head)
        if found["format"] != FORMAT:
            raise ValueError(f"its format is {found['format']!r}")
        records = [json.loads(line) for line in lines[:-1]]  # what follows the last line's end
        done = {record["item"]: [_whole(row) for row in record["rows"]] for record in records}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a journal of finished items: {error}") from error
    if found["plan"] != plan:
        raise ValueError(f"{path} belongs to other prompts, settings or models: delete it")
    return done


def _plain(found: Observed | None) -> Row | None:
    """An approximate rule's observations as JSON has them."""
    if found is None:
        return None
    levels = [[(c.is_own, _standing(c.standing), c.q, c.draw) for c in v] for v in found.levels]
    rule, greedy = found.judge
    judge = {"rule": rule.name, "numbers": rule.numbers, "greedy": greedy}
    return judge | {"levels": levels, "tokens": found.tokens, "mismatches": found.mismatches}


def _standing(standing: Standing) -> tuple:
    return standing.p, standing.best, standing.rank, standing.entropy


def _whole(row: Row) -> Row:
    """A row as it was before it was written."""
    raw = row["observed"]
    if raw is None:
        return row
    judge = Judge(Rule(raw["rule"], tuple(raw["numbers"])), raw["greedy"])
    levels = [
        tuple(Case(is_own, Standing(*standing), q, draw) for is_own, standing, q, draw in level)
        for level in raw["levels"]
    ]
    return row | {"observed": Observed(judge, levels, raw["tokens"], raw["mismatches"])}
