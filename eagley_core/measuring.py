"""Measures once what a pass costs on this device, and keeps it in the cache folder.

A pass is timed as a step has it: with the target's own token after each row, and the draft's
passes after one of the target's, which leaves nothing of the draft in the processor's caches.
"""

import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, quantiles

import numpy as np
import torch

from eagley_core.busy import Load, look
from eagley_core.cache import KVCache
from eagley_core.costs import MAX_ROWS, Costs, costs_of, synchronize
from eagley_core.drafting import Draft, DraftRows, DraftStart
from eagley_core.sampling import best_tokens
from eagley_core.target import Target

MEASURED_ROWS = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
NEAR, FAR = 64, 1024  # cached rows behind which passes are timed; prices of others lie between
FAR_ROWS = (1, 8, 16, 32, 64)  # of the passes behind FAR
REPEATS = 12
LEAST, PATIENCE = 4, 30.0  # rounds at least, and seconds after which they suffice: a busy machine
Verify = Callable[[int, int], object]
"""A target pass of so many rows behind so many cached ones."""


def measured(
    target: Target,
    draft: Draft | None,
    invariant: bool,
    folder: Path,
    look: Callable[[], Load] = look,
) -> Costs:
    """This device's costs, from `folder` when they were measured before.

    What was measured on a busy machine, as `look` sees it, holds for this process only.
    """
    path = folder / f"{_key(target, draft, invariant)}.json"
    costs = _read(path)
    if costs is None:
        costs = measure(target, draft, invariant)
        if not look().is_busy:
            _write(path, costs)
    return costs


def _read(path: Path) -> Costs | None:
    """What was measured before; None where there is no whole file of it."""
    try:
        return costs_of(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


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
    facts += (invariant, NEAR, FAR, REPEATS)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


@torch.inference_mode()
def measure(target: Target, draft: Draft | None, invariant: bool) -> Costs:
    """Time passes of 1 to MAX_ROWS rows behind NEAR cached ones, and some behind FAR."""
    near = min(NEAR, target.context // 2)
    far = min(FAR, target.context - MAX_ROWS)
    cache = target.new_cache(max(near, far) + MAX_ROWS)
    verify = _verifier(target, cache, invariant)
    passes = [(n, near) for n in MEASURED_ROWS]
    if far > near:
        passes += [(n, far) for n in FAR_ROWS]
    found = _timed(verify, passes, target.device)
    times = _filled({n: found[n, near] for n in MEASURED_ROWS})
    further = ()
    if far > near:
        further = _slopes(times, _filled({n: found[n, far] for n in FAR_ROWS}), far - near)
    cache.length = near
    run = DraftStart(near + MAX_ROWS, 0, 0, invariant, cache)
    feed = extend = 0.0
    if draft is not None:
        feed, extend = _draft_costs(draft, target, run, lambda: verify(4, near))
    return Costs(times, feed, extend, further, near)


def _verifier(target: Target, cache: KVCache, invariant: bool) -> Verify:
    def verify(n_rows: int, cached: int) -> None:
        cache.length = cached
        chain = torch.ones(n_rows, n_rows, dtype=torch.bool, device=target.device).tril()
        ids = torch.zeros(n_rows, dtype=torch.long, device=target.device)
        best_tokens(target.logits(target.run(ids, ids, chain, cache, invariant).hidden).float())

    return verify


Passes = Sequence[tuple[int, int]]
"""Rows of a pass, and cached rows before it."""


def _timed(verify: Verify, passes: Passes, device: torch.device) -> dict[tuple[int, int], float]:
    """Times of passes, which are interleaved, by `_undisturbed`."""
    verify(*passes[0])
    times: dict[tuple[int, int], list[float]] = {one: [] for one in passes}
    for done in range(REPEATS):
        if done >= LEAST and sum(map(sum, times.values())) > PATIENCE:
            break
        for one in passes:
            times[one].append(_seconds(lambda one=one: verify(*one), device))
    return {one: _undisturbed(found) for one, found in times.items()}


def _undisturbed(seconds: Sequence[float]) -> float:
    """The lower quartile: what disturbs a pass only adds to it."""
    return quantiles(seconds, n=4)[0]


def _slopes(near: Sequence[float], far: Sequence[float], rows: int) -> tuple[float, ...]:
    """What a cached row adds to a pass, by the pass's rows; never less for more rows."""
    slopes = [(after - before) / rows for before, after in zip(near[1:], far[1:], strict=True)]
    return (0.0, *(max(0.0, slope) for slope in rising(slopes)))


def _draft_costs(
    draft: Draft, target: Target, run: DraftStart, verify: Callable[[], object], k: int = 4
) -> tuple[float, float]:
    draft.start(run)
    shape = (2, len(draft.state_ids), target.hidden_size)
    features = torch.zeros(shape, dtype=target.dtype, device=target.device)
    cached = run.capacity - MAX_ROWS
    draft.feed(features[:1].expand(cached, -1, -1), [0] * cached, k)
    row = draft.feed(features, [0, 0], k)
    rows = DraftRows(
        row.hidden.expand(k, -1),
        row.tokens[0],
        torch.full_like(row.tokens[0], draft.length),
        torch.eye(k, device=target.device) > 0,
    )
    feeds, extends = [], []
    for _ in range(REPEATS):
        verify()
        feeds.append(_seconds(lambda: draft.feed(features, [0, 0], k), target.device))
        extends.append(_seconds(lambda: draft.extend(rows, k), target.device))
    return _undisturbed(feeds), _undisturbed(extends)


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    synchronize(device)
    start = time.perf_counter()
    work()
    synchronize(device)
    return time.perf_counter() - start


def _filled(times: dict[int, float]) -> tuple[float, ...]:
    """Never falling with the rows, and interpolated between measured row counts."""
    anchors = sorted(times)
    risen = rising([times[n_rows] for n_rows in anchors])
    return tuple(np.interp(range(MAX_ROWS + 1), [0, *anchors], [0.0, *risen]).tolist())


def rising(values: Sequence[float]) -> list[float]:
    """The nearest sequence, in squares, that never falls: neighbours that do are pooled.

    Isotonic regression by pooling adjacent violators (Ayer et al., 1955). A running maximum would
    keep the highest of the noise, and make the rows behind it look free.
    """
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return [fmean(pool) for pool in pools for _ in pool]
