"""Traces in one gzipped JSON file, read without torch and without the model.

Records are stored as JSON objects and tuples of records by column, so the file describes itself.
Reading builds only the frozen values of `trace`; nothing in a file is ever executed.
"""

import dataclasses
import gzip
import json
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from eagley_core.trace import Trace
from eagley_core.trace_ranges import check_ranges

FORMAT = "eagley-trace"
VERSION = 1
MAX_BYTES = 64 * 2**20  # unpacked


class TraceError(ValueError):
    """The file is not a trace that this version can read."""


def save_traces(path: str | Path, traces: Sequence[Trace]) -> None:
    """Write one run, or the runs of one comparison."""
    document = {"format": FORMAT, "version": VERSION, "traces": [_plain(t) for t in traces]}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))


def load_traces(path: str | Path) -> tuple[Trace, ...]:
    """Read what `save_traces` wrote. Raises TraceError that says what is wrong with the file."""
    document = _document(Path(path))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise TraceError(f"{Path(path).name} is not an EAGLEY trace")
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise TraceError(f"{Path(path).name} has no valid version, got {version!r}")
    if version > VERSION:
        raise TraceError(f"{Path(path).name} is version {version}; this program reads {VERSION}")
    try:
        traces = _built(tuple[Trace, ...], _rows(document.get("traces")), "traces")
        for trace in traces:
            trace.check()
            check_ranges(trace)
    except (ValueError, IndexError, OverflowError) as error:
        raise TraceError(f"{Path(path).name} is damaged: {error}") from error
    if not traces:
        raise TraceError(f"{Path(path).name} holds no run")
    return traces


def _document(path: Path) -> Any:
    try:
        with gzip.open(path) as file:
            data = file.read(MAX_BYTES + 1)
    except (EOFError, zlib.error) as error:
        raise TraceError(f"{path.name} is truncated or damaged: {error}") from error
    except gzip.BadGzipFile as error:
        raise TraceError(f"{path.name} is not a trace file (not gzip)") from error
    if len(data) > MAX_BYTES:
        raise TraceError(f"{path.name} unpacks to more than {MAX_BYTES >> 20} MiB")
    try:
        return json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{path.name} does not hold valid JSON: {error}") from error


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _rows(traces: Any) -> Any:
    """Traces are few and large: a list of objects, not columns."""
    if not isinstance(traces, list):
        raise ValueError("traces must be a list")
    return traces


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        if value and dataclasses.is_dataclass(value[0]) and not isinstance(value[0], Trace):
            return _columns(value)
        return [_plain(item) for item in value]
    return _short(value) if isinstance(value, float) else value


def _columns(records: tuple) -> dict[str, list]:
    names = [f.name for f in dataclasses.fields(records[0])]
    return {name: [_plain(getattr(record, name)) for record in records] for name in names}


def _short(number: float) -> float:
    """Seven digits: more than any measured figure has, at half the file size."""
    return float(f"{number:.7g}")


@cache
def _fields(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in dataclasses.fields(cls)}


def _built(kind: Any, value: Any, where: str) -> Any:
    """Build a value of type `kind` from plain JSON, or raise ValueError naming the place."""
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, where)
    origin = get_origin(kind)
    if origin is tuple:
        return _tuple(get_args(kind), value, where)
    if origin in (UnionType, Union):
        return _optional(get_args(kind), value, where)
    if origin is Literal:
        return _checked(value in get_args(kind), value, kind, where)
    if kind is float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(_checked(is_number, value, kind, where))
    if kind is str and isinstance(value, str):
        _checked(not any("\ud800" <= c <= "\udfff" for c in value), value, kind, where)
    return _checked(type(value) is kind, value, kind, where)


def _checked(valid: bool, value: Any, kind: Any, where: str) -> Any:
    if not valid:
        raise ValueError(f"{where} must be {getattr(kind, '__name__', kind)}, got {value!r:.80}")
    return value


def _optional(kinds: tuple, value: Any, where: str) -> Any:
    if value is None:
        return _checked(NoneType in kinds, value, kinds[0], where)
    return _built(next(kind for kind in kinds if kind is not NoneType), value, where)


def _tuple(kinds: tuple, value: Any, where: str) -> tuple:
    kind = kinds[0]
    if len(kinds) == 2 and kinds[1] is ...:
        if dataclasses.is_dataclass(kind) and isinstance(value, dict):
            value = _transposed(kind, value, where)
        _checked(isinstance(value, list), value, list, where)
        return tuple(_built(kind, item, f"{where}[{i}]") for i, item in enumerate(value))
    _checked(isinstance(value, list) and len(value) == len(kinds), value, list, where)
    return tuple(_built(k, v, where) for k, v in zip(kinds, value, strict=True))


def _transposed(cls: type, columns: dict, where: str) -> list[dict]:
    _known_names(cls, columns, where)
    if not all(isinstance(column, list) for column in columns.values()):
        raise ValueError(f"{where}: every column must be a list")
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError(f"{where}: columns of different lengths")
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _record(cls: type, value: Any, where: str) -> Any:
    _checked(isinstance(value, dict), value, dict, where)
    _known_names(cls, value, where)
    kinds = _fields(cls)
    return cls(**{n: _built(kinds[n], v, f"{where}.{n}") for n, v in value.items()})


def _known_names(cls: type, value: dict, where: str) -> None:
    """A file may lack what a later program added: fields with a default."""
    odd = (value.keys() - _fields(cls).keys()) | (_needed(cls) - value.keys())
    if odd:
        names = ", ".join(sorted(map(str, odd)))
        raise ValueError(f"{where}: missing or unknown fields: {names[:200]}")


@cache
def _needed(cls: type) -> frozenset[str]:
    fields = dataclasses.fields(cls)
    return frozenset(
        f.name for f in fields if f.default is f.default_factory is dataclasses.MISSING
    )
