"""What is seen of a machine before anything is timed."""

import pytest

from eagley_core import busy
from eagley_core.busy import Load, check, look


def stat(tmp_path, monkeypatch, after: str):
    """A /proc/stat of 100 ticks whose figures change while one sleeps."""
    path = tmp_path / "stat"
    path.write_text("cpu  10 0 0 80 10 0 0 0 0 0\ncpu0 1 1 1 1\n")
    monkeypatch.setattr(busy.time, "sleep", lambda seconds: path.write_text(after))
    return path


def test_a_share_is_the_time_that_was_not_idle(tmp_path, monkeypatch):
    seen = look(1, stat(tmp_path, monkeypatch, "cpu  40 0 5 140 10 5 0 0 0 0\n"))
    assert seen.share == pytest.approx(0.4)  # 40 of 100 new ticks
    assert seen.is_busy


def test_waiting_for_the_disk_is_idle(tmp_path, monkeypatch):
    seen = look(1, stat(tmp_path, monkeypatch, "cpu  10 0 0 80 110 0 0 0 0 0\n"))
    assert seen.share == 0
    assert not seen.is_busy


def test_without_proc_the_load_average_decides(tmp_path):
    seen = look(0, tmp_path / "none")
    assert seen.share is None
    assert Load(None, 1.0, 2).is_busy
    assert not Load(None, 0.2, 2).is_busy


def test_a_busy_machine_is_refused_unless_that_was_agreed_to():
    busy_one = Load(0.5, 1.0, 2)
    with pytest.raises(ValueError, match=r"busy \(50% of 2 processors taken, load average 1.00\)"):
        check(busy_one, may_be_busy=False)
    check(busy_one, may_be_busy=True)
    check(Load(0.05, 1.0, 2), may_be_busy=False)
