"""How busy the machine is before anything is timed."""

import os
import time
from pathlib import Path
from typing import NamedTuple

STAT = Path("/proc/stat")
LIMIT = 0.15  # of all processors' time; an idle desktop takes a few percent
SECONDS = 1.0


class Load(NamedTuple):
    """What was seen while this process slept."""

    share: float | None  # of all processors' time that was taken; None: this system does not say
    average: float | None  # the system's own mean number of running processes, last minute
    processors: int

    @property
    def told(self) -> str:
        share = "unknown" if self.share is None else f"{self.share:.0%}"
        average = "unknown" if self.average is None else f"{self.average:.2f}"
        return f"{share} of {self.processors} processors taken, load average {average}"

    @property
    def is_busy(self) -> bool:
        """By the share; where that is not known, by the mean over the last minute."""
        if self.share is not None:
            return self.share > LIMIT
        return self.average is not None and self.average / self.processors > LIMIT


def look(seconds: float = SECONDS, stat: Path = STAT) -> Load:
    """Sleep, and see what others did meanwhile."""
    before = _ticks(stat)
    time.sleep(seconds)
    after = _ticks(stat)
    average = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return Load(_taken(before, after), average, os.cpu_count() or 1)


def check(load: Load, may_be_busy: bool) -> None:
    """Raise ValueError on a busy machine, unless that was agreed to."""
    if load.is_busy and not may_be_busy:
        raise ValueError(f"the machine is busy ({load.told}): times would be noise; --busy allows")


def _ticks(stat: Path) -> tuple[int, int] | None:
    """Time that all processors spent, and spent idle, in ticks (proc(5): idle and iowait)."""
    if not stat.is_file():
        return None
    counts = [int(word) for word in stat.read_text().splitlines()[0].split()[1:9]]
    return sum(counts), counts[3] + counts[4]


def _taken(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    if before is None or after is None or after[0] == before[0]:
        return None
    return 1 - (after[1] - before[1]) / (after[0] - before[0])
