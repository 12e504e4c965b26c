"""What this machine's memory and arithmetic units really reach, with torch's own kernels."""

import time
from collections.abc import Callable

import torch

from eagley_core.costs import synchronize
from eagley_core.devices import Device

VECTOR = 32_000_000  # numbers of one vector: more than any cache holds
SIDE = 2048  # of the multiplied matrices
REPEATS = 5


def measure_peaks(device: torch.device, dtype: torch.dtype, memory: float) -> Device:
    """A device whose peaks are the best of some repeats, and are therefore reached in full."""
    with torch.inference_mode():
        return Device("this machine", _bandwidth(device), _compute(device, dtype), memory, 1, 1)


def _bandwidth(device: torch.device) -> float:
    """Bytes per second of a dot product, which reads two vectors once."""
    a, b = torch.ones(2, VECTOR, device=device)
    return 2 * VECTOR * a.element_size() / _best(lambda: torch.dot(a, b), device)


def _compute(device: torch.device, dtype: torch.dtype) -> float:
    """Operations per second of a product of square matrices: 2 SIDE^3 of them."""
    a = torch.ones(SIDE, SIDE, device=device, dtype=dtype)
    return 2 * SIDE**3 / _best(lambda: a @ a, device)


def _best(work: Callable[[], object], device: torch.device) -> float:
    work()
    times = []
    for _ in range(REPEATS):
        synchronize(device)
        start = time.perf_counter()
        work()
        synchronize(device)
        times.append(time.perf_counter() - start)
    return min(times)
