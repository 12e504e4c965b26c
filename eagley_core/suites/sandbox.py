"""Generated code in a process of its own.

Contained: time, memory, and files (none may be written, removed or renamed). Network and processes:
where the system lets this user make namespaces, the program has a network namespace without any
interface and dies with all its children. Elsewhere Python's own doors to sockets and processes are
shut by an audit hook, which native code could evade. Not contained: it may read the files that this
user may read. It is for a model's honest mistakes, not for an attacker.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

PASSED = "passed"
SECONDS, MEGABYTES = 10, 512
INSIDE = Path(__file__).with_name("contained.py")
APART = ("unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child")
GRACE = 3  # seconds for the interpreter's own start


def check() -> None:
    """Raise ValueError where a program's memory cannot be limited."""
    if sys.platform != "linux":
        raise ValueError("generated code is run on Linux only: its memory must be limited")


@cache
def namespaces() -> tuple[str, ...]:
    """How a command is put into namespaces of its own here; () where that is not allowed."""
    try:
        done = subprocess.run([*APART, "true"], capture_output=True, timeout=GRACE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return APART if done.returncode == 0 else ()


def containment() -> dict[str, str | int]:
    """What holds a program in on this machine, for the result."""
    hook = "refused by the interpreter, which native code could evade"
    return {
        "seconds": SECONDS,
        "megabytes": MEGABYTES,
        "network": "none: a namespace of its own" if namespaces() else hook,
        "processes": "a namespace of its own" if namespaces() else hook,
        "writing files": hook,
        "reading files": "not contained",
    }


def run(program: str, seconds: int = SECONDS, megabytes: int = MEGABYTES) -> str:
    """PASSED where the program ran to its end; else what stopped it, in one line."""
    inside = [sys.executable, "-I", "-S", "-B", str(INSIDE), str(seconds), str(megabytes)]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*namespaces(), *inside],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(program.encode(), timeout=seconds + GRACE)
        except subprocess.TimeoutExpired:
            said = b"ran out of time"
        finally:
            _end(process)
    return said.decode(errors="replace") or "was killed: out of time or memory"


def _end(process: subprocess.Popen) -> None:
    """End the whole session: the program's children too."""
    with suppress(ProcessLookupError):  # it is over
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
