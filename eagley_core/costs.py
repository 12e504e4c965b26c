"""What a pass costs on this device, measured once and kept in the cache folder."""

import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch

from eagley_core.drafting import Draft, DraftRows, DraftStart
from eagley_core.target import Target

MAX_ROWS = 64
MEASURED_ROWS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64)
CACHED_ROWS = 256  # context length at which passes are timed
REPEATS = 5


@dataclass(frozen=True)
class Costs:
    """Seconds of a target pass by its number of rows, and of the draft's passes."""

    verify: tuple[float, ...]  # index = rows; MAX_ROWS + 1 entries, never falling
    feed: float  # the draft's first pass of a step
    extend: float  # each further level

    def draft_seconds(self, depth: int) -> float:
        return self.feed + (depth - 1) * self.extend if depth else 0.0


def measured(target: Target, draft: Draft | None, invariant: bool, folder: Path) -> Costs:
    """This device's costs, from `folder` when they were measured before."""
    path = folder / f"{_key(target, draft, invariant)}.json"
    costs = _read(path)
    if costs is None:
        costs = measure(target, draft, invariant)
        _write(path, costs)
    return costs


def _read(path: Path) -> Costs | None:
    """What was measured before; None where there is no whole file of it."""
    try:
        return costs_of(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def costs_of(raw: dict) -> Costs:
    """Costs from plain fields. Raises ValueError, KeyError or TypeError where they are none."""
    costs = Costs(tuple(map(float, raw["verify"])), float(raw["feed"]), float(raw["extend"]))
    if len(costs.verify) != MAX_ROWS + 1:
        raise ValueError(f"{len(costs.verify)} costs of passes, not {MAX_ROWS + 1}")
    return costs


def _write(path: Path, costs: Costs) -> None:
    """In one move, so that another process never reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        json.dump(asdict(costs), file)
    Path(file.name).replace(path)


def _key(target: Target, draft: Draft | None, invariant: bool) -> str:
    place = torch.cuda.get_device_name() if target.device.type == "cuda" else platform.processor()
    facts = (target.name, target.config.to_json_string(), draft and draft.name, place)
    facts += (str(target.dtype), str(target.device), torch.get_num_threads(), torch.__version__)
    facts += (invariant, CACHED_ROWS)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


@torch.inference_mode()
def measure(target: Target, draft: Draft | None, invariant: bool) -> Costs:
    """Time passes of 1 to MAX_ROWS rows behind CACHED_ROWS cached ones, medians, interleaved."""
    cached = min(CACHED_ROWS, target.context // 2)
    cache = target.new_cache(cached + MAX_ROWS)
    cache.length = cached

    def verify(n_rows: int) -> None:
        chain = torch.ones(n_rows, n_rows, dtype=torch.bool, device=target.device).tril()
        ids = torch.zeros(n_rows, dtype=torch.long, device=target.device)
        target.logits(target.run(ids, ids, chain, cache, invariant).hidden)

    verify(2)
    times = {n: [] for n in MEASURED_ROWS}
    for _ in range(REPEATS):
        for n_rows in MEASURED_ROWS:
            times[n_rows].append(_seconds(lambda n=n_rows: verify(n), target.device))
    run = DraftStart(cached + MAX_ROWS, 0, 0, invariant, cache)
    feed, extend = _draft_costs(draft, target, run, cached) if draft else (0.0, 0.0)
    return Costs(_filled({n: median(t) for n, t in times.items()}), feed, extend)


def _draft_costs(
    draft: Draft, target: Target, run: DraftStart, cached: int, k: int = 4
) -> tuple[float, float]:
    draft.start(run)
    features = torch.zeros(
        2, len(draft.state_ids), target.hidden_size, dtype=target.dtype, device=target.device
    )
    draft.feed(features[:1].expand(cached, -1, -1), [0] * cached, k)
    row = draft.feed(features, [0, 0], k)
    rows = DraftRows(
        row.hidden.expand(k, -1),
        row.tokens[0],
        torch.full_like(row.tokens[0], draft.length),
        torch.eye(k, device=target.device) > 0,
    )
    feeds = [_seconds(lambda: draft.feed(features, [0, 0], k), target.device) for _ in range(9)]
    extends = [_seconds(lambda: draft.extend(rows, k), target.device) for _ in range(9)]
    return median(feeds), median(extends)


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    synchronize(device)
    start = time.perf_counter()
    work()
    synchronize(device)
    return time.perf_counter() - start


def synchronize(device: torch.device) -> None:
    """Wait for the device, so that times are of the work done and not of its queueing."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _filled(times: dict[int, float]) -> tuple[float, ...]:
    """Interpolate between measured row counts, and never let more rows look cheaper."""
    anchors = sorted(times)
    filled = [0.0]
    for n_rows in range(1, MAX_ROWS + 1):
        filled.append(max(filled[-1], _between(n_rows, anchors, times)))
    return tuple(filled)


def _between(n_rows: int, anchors: Sequence[int], times: dict[int, float]) -> float:
    high = next(n for n in anchors if n >= n_rows)
    low = max((n for n in anchors if n <= n_rows), default=high)
    share = (n_rows - low) / (high - low) if high > low else 0.0
    return times[low] + share * (times[high] - times[low])
