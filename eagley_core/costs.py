"""What a pass costs: plain figures to decide by. `measuring` finds them for a device."""

from dataclasses import dataclass, replace
from functools import lru_cache

import torch

MAX_ROWS = 64
CACHED_ROWS = 256  # cached rows behind which costs hold that do not say it
BAND = 64  # cached rows that share a price list


@dataclass(frozen=True)
class Costs:
    """Seconds of a target pass by its number of rows, and of the draft's passes."""

    verify: tuple[float, ...]  # index = rows; MAX_ROWS + 1 entries, never falling
    feed: float  # the draft's first pass of a step
    extend: float  # each further level
    further: tuple[float, ...] = ()  # what each cached row beyond `cached` adds; or nothing
    cached: int = CACHED_ROWS  # rows behind which `verify` holds

    def draft_seconds(self, depth: int) -> float:
        return self.feed + (depth - 1) * self.extend if depth else 0.0

    def behind(self, cached: int) -> "Costs":
        """The costs behind so many cached rows, rounded down to BAND."""
        return _behind(self, cached // BAND * BAND) if self.further else self


@lru_cache(maxsize=512)
def _behind(costs: Costs, cached: int) -> Costs:
    pairs = zip(costs.verify, costs.further, strict=True)
    # A straight line through two lengths, which must not cross zero before the first.
    found = (max(s / 2, s + (cached - costs.cached) * more) for s, more in pairs)
    return replace(costs, verify=tuple(found), further=())


def costs_of(raw: dict) -> Costs:
    """Costs from plain fields. Raises ValueError, KeyError or TypeError where they are none."""
    verify, further = (tuple(map(float, raw.get(k, ()))) for k in ("verify", "further"))
    for found in (verify, further) if further else (verify,):
        if len(found) != MAX_ROWS + 1:
            raise ValueError(f"{len(found)} costs of passes, not {MAX_ROWS + 1}")
    cached = int(raw.get("cached", CACHED_ROWS))
    return Costs(verify, float(raw["feed"]), float(raw["extend"]), further, cached)


def synchronize(device: torch.device) -> None:
    """Wait for the device, so that times are of the work done and not of its queueing."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
