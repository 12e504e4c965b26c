"""Devices by their public peak figures, and what of a peak is reached in serving."""

from dataclasses import dataclass, replace
from typing import Final

GIGA, TERA = 1e9, 1e12
READ, COMPUTED = 0.8, 0.6  # shares of a peak that good serving kernels reach; an assumption


@dataclass(frozen=True)
class Device:
    """bandwidth: bytes per second; compute: operations per second, dense, 16 bits in and 32
    summed; memory: bytes. `read` and `computed` are the shares of these peaks that are reached,
    `fixed` the seconds that every pass takes beside."""

    name: str
    bandwidth: float
    compute: float
    memory: float
    read: float = READ
    computed: float = COMPUTED
    fixed: float = 0.0

    def __post_init__(self) -> None:
        for name in ("bandwidth", "compute", "memory"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        for name in ("read", "computed"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {getattr(self, name)}")
        if self.fixed < 0:
            raise ValueError(f"fixed must be at least 0, got {self.fixed}")

    @property
    def ridge(self) -> float:
        """Operations per byte beyond which a pass is bound by compute, not by memory."""
        return self.compute * self.computed / (self.bandwidth * self.read)


# From NVIDIA's data sheets: SXM modules, without sparsity, which doubles the advertised figures.
_NAMED = (
    Device("H100", 3_350 * GIGA, 989 * TERA, 80 * GIGA),
    Device("H200", 4_800 * GIGA, 989 * TERA, 141 * GIGA),
    Device("A100", 2_039 * GIGA, 312 * TERA, 80 * GIGA),
    Device("L4", 300 * GIGA, 121 * TERA, 24 * GIGA),
    Device("RTX Pro 6000 Blackwell", 1_792 * GIGA, 503.8 * TERA, 96 * GIGA),
)
DEVICES: Final = {device.name: device for device in _NAMED}


def device_named(name: str) -> Device:
    """Raises ValueError for one that is not known."""
    if name not in DEVICES:
        raise ValueError(f"devices are {', '.join(DEVICES)}, got {name!r}")
    return DEVICES[name]


def reaching(device: Device, read: float, computed: float, fixed: float = 0.0) -> Device:
    """The same with other shares of its peaks, and other seconds per pass beside."""
    return replace(device, read=read, computed=computed, fixed=fixed)
