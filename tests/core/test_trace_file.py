"""Trace files: what is written is read; what is not a trace is refused, with the reason."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from eagley_core import trace_file
from eagley_core.config import DecodeConfig
from eagley_core.trace_file import TraceError, load_traces, save_traces
from tests.core.recorded import recorded


@pytest.fixture(scope="module")
def traces(engine):
    methods = ("vanilla", "eagle", "eagley")
    return tuple(recorded(engine, DecodeConfig(m, 12, temperature=0.8))[0] for m in methods)


@pytest.fixture
def saved(traces, tmp_path) -> Path:
    save_traces(tmp_path / "run.trace", traces)
    return tmp_path / "run.trace"


def near(found: object, wanted: object) -> bool:
    """Equal, floats to the seven digits that files keep."""
    if isinstance(wanted, float):
        return found == pytest.approx(wanted, rel=1e-6)
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(near(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(near, found, wanted))
    return type(found) is type(wanted) and found == wanted


def test_what_was_saved_is_loaded(traces, saved):
    for found, wanted in zip(load_traces(saved), traces, strict=True):
        assert near(asdict(found), asdict(wanted))


def test_a_loaded_trace_saved_again_is_equal(saved, tmp_path):
    loaded = load_traces(saved)
    save_traces(tmp_path / "again.trace", loaded)
    assert load_traces(tmp_path / "again.trace") == loaded
    assert (tmp_path / "again.trace").read_bytes() == saved.read_bytes()


def test_a_loaded_trace_is_as_immutable_as_a_recorded_one(saved):
    hash(load_traces(saved))


def test_reading_needs_no_torch(saved):
    code = (
        "import sys; from eagley_core.trace_file import load_traces; import eagley_core.metrics;"
        f"print(len(load_traces({str(saved)!r})));"
        "assert not {'torch', 'transformers', 'numpy', 'gradio'} & set(sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3\n", "")


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(saved, keep):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(TraceError, match=r"run.trace is truncated or damaged"):
        load_traces(saved)


def test_flipped_bytes_are_noticed(saved):
    data = bytearray(saved.read_bytes())
    data[len(data) // 2] ^= 0xFF
    saved.write_bytes(data)
    with pytest.raises(TraceError, match=r"run.trace is "):
        load_traces(saved)


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04", b'{"format": "eagley-trace"}'])
def test_what_is_not_gzip_is_refused(saved, content):
    saved.write_bytes(content)
    with pytest.raises(TraceError, match=r"run.trace is not a trace file .not gzip."):
        load_traces(saved)


BAD_JSON = [b"", b"{", b"nonsense", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000, b'{"a": NaN}']


@pytest.mark.parametrize("content", BAD_JSON, ids=range(len(BAD_JSON)))
def test_what_is_not_json_is_refused(saved, content):
    saved.write_bytes(gzip.compress(content))
    with pytest.raises(TraceError, match=r"run.trace does not hold valid JSON"):
        load_traces(saved)


@pytest.mark.parametrize("content", ["[]", "3", "null", "{}", '{"format": "perfetto"}'])
def test_json_of_another_kind_is_refused(saved, content):
    saved.write_bytes(gzip.compress(content.encode()))
    with pytest.raises(TraceError, match=r"run.trace is not an EAGLEY trace"):
        load_traces(saved)


def change(saved: Path, edit: Callable[[dict], object]) -> None:
    """Rewrite the file's document."""
    document = json.loads(gzip.decompress(saved.read_bytes()))
    edit(document)
    saved.write_bytes(gzip.compress(json.dumps(document).encode()))


def test_a_newer_version_is_refused_with_both_numbers(saved):
    change(saved, lambda document: document.update(version=trace_file.VERSION + 1))
    message = f"is version {trace_file.VERSION + 1}; this program reads {trace_file.VERSION}"
    with pytest.raises(TraceError, match=message):
        load_traces(saved)


@pytest.mark.parametrize("version", [None, "1", 0, -1, 1.5])
def test_a_senseless_version_is_refused(saved, version):
    change(saved, lambda document: document.update(version=version))
    with pytest.raises(TraceError, match="has no valid version"):
        load_traces(saved)


def test_a_file_that_unpacks_to_too_much_is_refused(saved, monkeypatch):
    monkeypatch.setattr(trace_file, "MAX_BYTES", 2**20)
    saved.write_bytes(gzip.compress(b" " * (2**20 + 1)))
    with pytest.raises(TraceError, match="unpacks to more than 1 MiB"):
        load_traces(saved)


def first(document: dict) -> dict:
    return document["traces"][2]


def steps_of(document: dict) -> dict[str, list]:
    return first(document)["steps"]


def nodes_of(document: dict) -> dict[str, list]:
    return steps_of(document)["nodes"][1]


DAMAGE: dict[str, tuple[Callable, str]] = {
    "no traces": (lambda d: d.pop("traces"), "traces must be a list"),
    "traces of a wrong type": (lambda d: d.update(traces={}), "traces must be a list"),
    "an empty list": (lambda d: d["traces"].clear(), "holds no run"),
    "a run that is a number": (lambda d: d["traces"].append(3), r"traces\[3\] must be"),
    "a missing field": (lambda d: first(d).pop("prompt"), r"missing or unknown fields: prompt"),
    "an extra field": (lambda d: first(d).update(x=1), r"traces\[2\]: .* unknown fields: x"),
    "a wrong type": (lambda d: first(d).update(prompt=3), r"prompt must be str, got 3"),
    "a float for an id": (lambda d: first(d)["output_ids"].insert(0, 1.5), "must be int, got 1.5"),
    "true for an id": (lambda d: first(d)["output_ids"].insert(0, True), "must be int, got True"),
    "an unknown verdict": (
        lambda d: nodes_of(d)["verdict"].__setitem__(0, "maybe"),
        r"steps\[1\].nodes\[0\].verdict must be .* got 'maybe'",
    ),
    "a setting out of range": (
        lambda d: first(d)["config"].update(temperature=-1.0),
        "temperature must be at least 0",
    ),
    "columns of different lengths": (
        lambda d: nodes_of(d)["token_id"].pop(),
        "columns of different lengths",
    ),
    "a column that is none": (lambda d: nodes_of(d).update(rank=3), "every column must be a list"),
    "a missing column": (lambda d: steps_of(d).pop("rows"), "unknown fields: rows"),
    "fewer pieces than tokens": (lambda d: first(d)["pieces"].pop(), "11 pieces for 12 output"),
    "fewer tokens than the steps emit": (
        lambda d: (first(d)["pieces"].pop(), first(d)["output_ids"].pop()),
        "do not emit",
    ),
    "another token than the steps emit": (
        lambda d: first(d)["output_ids"].__setitem__(3, 10**6),
        "does not fit together: its steps emit other tokens",
    ),
    "a parent behind its child": (
        lambda d: nodes_of(d)["parent"].__setitem__(0, 5),
        "step 1: node 0 precedes its parent",
    ),
    "an accepted node that is not there": (
        lambda d: steps_of(d)["accepted"].__setitem__(1, [99]),
        "does not fit together: step 1 accepts nodes off its path",
    ),
    "an accepted node that hangs elsewhere": (
        lambda d: steps_of(d)["accepted"].__setitem__(1, [-1]),
        "does not fit together: step 1 accepts nodes off its path",
    ),
    "a probability above one": (
        lambda d: nodes_of(d)["raw_probability"].__setitem__(0, 1.5),
        "step 1, node 0: raw_probability is 1.5, not from 0 to 1",
    ),
    "a value that is no probability": (
        lambda d: nodes_of(d)["value"].__setitem__(0, -1e308),
        "step 1, node 0: value is -1e\\+308, not from 0 to 1",
    ),
    "a rank below the best": (
        lambda d: nodes_of(d)["rank"].__setitem__(0, -1),
        "step 1, node 0: rank is -1, not from 0",
    ),
    "a time before the run": (
        lambda d: steps_of(d)["started"].__setitem__(1, -3.0),
        "step 1: started is -3.0, not from 0",
    ),
    "no steps": (
        lambda d: first(d).update(steps=[], output_ids=[], pieces=[]),
        "does not fit together: it has no steps",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_refused_with_its_place(saved, name):
    edit, message = DAMAGE[name]
    change(saved, edit)
    with pytest.raises(TraceError, match=message):
        load_traces(saved)


def test_a_missing_file_is_an_os_error_with_its_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.trace"):
        load_traces(tmp_path / "nothing.trace")


def test_a_file_from_before_a_field_was_added_reads_with_its_default(saved):
    """Fields that came later have defaults; `rule` is one."""
    document = json.loads(gzip.decompress(saved.read_bytes()))
    del document["traces"][0]["config"]["rule"]
    saved.write_bytes(gzip.compress(json.dumps(document).encode()))
    assert load_traces(saved)[0].config.rule == DecodeConfig().rule
