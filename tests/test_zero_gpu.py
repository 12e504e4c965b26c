"""Live runs on ZeroGPU, with a pretend `spaces` that keeps its laws: every run in a forked process,
arguments and results pickled, and of errors only a `gr.Error` with its words."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPACES = """
import multiprocessing
import pickle

import gradio as gr

FORK = multiprocessing.get_context("fork")
ASKED = []  # seconds


def GPU(task=None, *, duration=60):
    if task is None:
        return lambda given: GPU(given, duration=duration)

    def handler(*args):
        ASKED.append(duration(*args) if callable(duration) else duration)
        ours, theirs = FORK.Pipe()
        worker = FORK.Process(target=_work, args=(task, pickle.dumps(args), theirs), daemon=True)
        worker.start()
        theirs.close()
        while True:
            kind, value = ours.recv()
            if kind == "end":
                worker.join()
                return
            if kind == "error":
                raise value
            yield value

    return handler


def _work(task, args, pipe):
    try:
        for item in task(*pickle.loads(args)):
            pipe.send(("item", item))
    except gr.Error as error:
        pipe.send(("error", error))
    except Exception as error:
        pipe.send(("error", gr.Error(type(error).__name__)))
    pipe.send(("end", None))
"""
BEGIN = """
import json, os, sys
from app import arguments, engine
from components.zero_gpu import ZeroGpu, lent
from eagley_core.config import DecodeConfig
from eagley_core.trace import Trace
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a script prints, as JSON, where `spaces` is the pretend one and ZeroGPU is on or off."""
    folder = tmp_path_factory.mktemp("spaces")
    (folder / "spaces.py").write_text(SPACES)

    def run(script, zero_gpu="1"):
        paths = os.pathsep.join(map(str, (folder, ROOT, ROOT / "tests")))
        made = os.environ | {"PYTHONPATH": paths, "SPACES_ZERO_GPU": zero_gpu}
        command = [sys.executable, "-c", BEGIN + script]
        done = subprocess.run(command, cwd=ROOT, env=made, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run


FAKE = """
from fake_live import FakeLive
class Here(FakeLive):
    pid = None
    def stream(self, *given):
        self.pid = os.getpid()
        for item in super().stream(*given):
            yield item if isinstance(item, Trace) else item._replace(seconds=self.pid)
inner = Here(pause=0.02)
live = lent(inner)
config = DecodeConfig("eagley", max_new_tokens=40)
"""


def test_a_lane_runs_in_a_worker_and_comes_back_whole(told):
    found = told(
        FAKE
        + """
items = list(live.stream("why", config, lambda: False))
trace, steps = items[-1], items[:-1]
import spaces
print(json.dumps({
    "kind": type(live).__name__, "mine": os.getpid(), "pids": sorted({s.seconds for s in steps}),
    "left": inner.pid, "trace": isinstance(trace, Trace), "tokens": len(trace.output_ids),
    "steps": len(steps) == len(trace.steps), "lent": trace.environment.lent,
    "device": trace.environment.device,
    "asked": spaces.ASKED, "torch": "torch" in sys.modules,
}))
"""
    )
    assert found["kind"] == "ZeroGpu"
    assert len(found["pids"]) == 1 and found["pids"][0] != found["mine"]
    assert found["left"] is None  # what the worker kept is lost
    assert found["trace"] and found["tokens"] == 40 and found["steps"]
    assert found["lent"] and found["device"] == "cpu, ZeroGPU"
    assert found["asked"] == [35]
    assert not found["torch"]


def test_stop_reaches_the_worker_and_keeps_what_there_is(told):
    found = told(
        FAKE
        + """
seen = []
for item in live.stream("why", config, lambda: len(seen) >= 3):
    seen.append(item)
trace = seen[-1]
steps = {"heard": len(seen) - 1, "kept": len(trace.steps)}
print(json.dumps(steps | {"end": trace.finish_reason}))
"""
    )
    assert found["end"] == "cancelled"
    assert found["heard"] == found["kept"] < 10


def test_an_error_comes_back_with_its_words(told):
    found = told(
        FAKE
        + """
try:
    list(live.stream("  ", config, lambda: False))
except ValueError as error:
    print(json.dumps({"told": str(error)}))
"""
    )
    assert found["told"] == "the prompt is empty"


def test_off_zero_gpu_nothing_changes(told):
    found = told(FAKE + 'print(json.dumps({"same": live is inner}))', zero_gpu="")
    assert found == {"same": True}


@pytest.mark.model
def test_the_engine_itself_runs_in_a_worker(told):
    found = told(
        """
live = engine(arguments(["--device", "cpu"]))
config = DecodeConfig("eagley", max_new_tokens=6)
items = list(live.stream("Why is the sky blue?", config, lambda: False))
trace = items[-1]
print(json.dumps({"kind": type(live).__name__, "tokens": len(trace.output_ids),
    "lent": trace.environment.lent, "torch": "torch" in sys.modules}))
"""
    )
    assert found == {"kind": "ZeroGpu", "tokens": 6, "lent": True, "torch": False}
