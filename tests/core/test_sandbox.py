"""What generated code can do, and what it cannot."""

import sys

import pytest

from eagley_core.suites import humaneval, sandbox
from tests.core.test_suites import HUMAN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is for Linux")


def test_a_right_program_passes_and_a_wrong_one_says_why():
    assert sandbox.run("assert 1 + 1 == 2") == sandbox.PASSED
    assert sandbox.run("assert 1 + 1 == 3, 'no'") == "AssertionError: no"
    assert sandbox.run("def f(:").startswith("SyntaxError")


def test_text_is_utf_8_whatever_the_locale():
    assert sandbox.run("assert len('é€') == 2") == sandbox.PASSED


def test_leaving_early_is_not_passing():
    assert sandbox.run("import sys; sys.exit(0)") == "SystemExit: 0"
    assert sandbox.run("import os; os._exit(0)") != sandbox.PASSED
    assert sandbox.run("print('passed'); raise ValueError('x')") == "ValueError: x"


def test_time_and_memory_are_limited(monkeypatch):
    assert sandbox.run("while True: pass", seconds=1) != sandbox.PASSED
    monkeypatch.setattr(sandbox, "GRACE", 0)
    assert sandbox.run("import time; time.sleep(60)", seconds=1) == "ran out of time"
    monkeypatch.undo()
    assert sandbox.run("x = bytearray(400 << 20)", megabytes=200).startswith("MemoryError")


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
        "import socket; socket.socket()",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
        "import os; os.system('true')",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
        "open('x', 'w')",
        "import os; os.open('x', os.O_CREAT)",
        "import os; os.mkdir('x')",
    ],
)
def test_doors_out_are_shut(program):
    assert "is not allowed here" in sandbox.run(program)


def test_nothing_is_removed(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("x")
    for action in ("os.remove", "os.rmdir", "os.unlink", "shutil.rmtree"):
        assert sandbox.run(f"import os, shutil; {action}({str(kept)!r})") != sandbox.PASSED
    assert kept.read_text() == "x"


@pytest.mark.skipif(not sandbox.namespaces(), reason="this system allows no namespaces")
def test_the_network_has_no_interface_even_without_the_hook():
    links = "open('/proc/self/net/dev').read().splitlines()[2:]"
    assert sandbox.run(f"assert [l for l in {links} if 'lo:' not in l] == []") == sandbox.PASSED


def test_without_namespaces_the_hook_still_shuts_the_doors(monkeypatch):
    monkeypatch.setattr(sandbox, "namespaces", tuple)
    assert "is not allowed here" in sandbox.run("import socket; socket.socket()")
    assert sandbox.run("assert True") == sandbox.PASSED
    assert "could evade" in sandbox.containment()["network"]


def test_elsewhere_than_on_linux_it_is_refused(monkeypatch):
    sandbox.check()
    monkeypatch.setattr(sandbox.sys, "platform", "darwin")
    with pytest.raises(ValueError, match="Linux only"):
        sandbox.check()


def test_the_environment_is_empty(monkeypatch):
    monkeypatch.setenv("MY_SECRET", "x")
    assert sandbox.run("import os; assert 'MY_SECRET' not in os.environ") == sandbox.PASSED


def test_humaneval_passes_with_a_right_function_and_fails_with_a_wrong_one():
    question = humaneval.question(HUMAN, 0)
    right = humaneval.answer(question, HUMAN["prompt"] + HUMAN["canonical_solution"])
    wrong = humaneval.answer(question, "    return 3 * x\n")
    assert humaneval.passes(question, right).correct
    assert humaneval.passes(question, wrong) == (wrong, False, "AssertionError: ")


def test_a_result_says_what_holds_a_program_in():
    told = sandbox.containment()
    assert told["reading files"] == "not contained"
    assert ("namespace" in told["network"]) == bool(sandbox.namespaces())
