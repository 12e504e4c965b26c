"""A Ray cluster: what a worker takes of it, and the connection. Ray itself is optional."""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from types import ModuleType

LOCAL = "local"  # as an address: a cluster of this machine alone, which ends with the work
STORE_BYTES = 100_000_000  # of a local cluster, for results on their way


@dataclass(frozen=True)
class Resources:
    """What every worker takes. workers: how many; None: as many as fit."""

    cpus: float = 1
    gpus: float = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.cpus <= 0 or self.gpus < 0:
            raise ValueError(f"a worker needs some cpus, got cpus={self.cpus},gpus={self.gpus}")
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"workers must be at least 1, got {self.workers}")

    @classmethod
    def parse(cls, text: str) -> "Resources":
        """Read `cpus=2,gpus=1,workers=4`, in any order, any of them left out."""
        kinds = {"cpus": float, "gpus": float, "workers": int}
        found = {}
        for part in text.split(","):
            name, _, number = part.partition("=")
            try:
                found[name] = kinds[name](number)
            except (KeyError, ValueError) as error:
                raise ValueError(
                    f"resources must look like cpus=2,gpus=1,workers=4, got {part!r}"
                ) from error
        return cls(**found)

    def fitting(self, there: dict[str, float]) -> int:
        """How many workers a cluster of these resources holds. Raises ValueError for too few."""
        shares = [there.get("CPU", 0) // self.cpus]
        if self.gpus:
            shares.append(there.get("GPU", 0) // self.gpus)
        fit = int(min(shares))
        if fit < (self.workers or 1):
            raise ValueError(
                f"the cluster has {there.get('CPU', 0):g} CPUs and {there.get('GPU', 0):g} GPUs: "
                f"too few for {self.workers or 1} workers of {self.cpus:g} and {self.gpus:g}"
            )
        return self.workers or fit


def ray_module() -> ModuleType:
    """Ray. Raises ValueError where it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ValueError("--ray needs Ray, which is not here: pip install 'ray~=2.60'") from error


@contextmanager
def connected(address: str, resources: Resources) -> Iterator[ModuleType]:
    """Ray, connected to the cluster at `address`. It reports nothing to its makers.

    What it says of its own accord goes to stderr: stdout is for results.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray, local = ray_module(), _local(address, resources)
    with redirect_stdout(sys.stderr):
        ray.init(address, log_to_driver=False, logging_level="error", **local)
        try:
            yield ray
        finally:
            ray.shutdown()


def _local(address: str, resources: Resources) -> dict:
    """How a local cluster is set up: on the loopback, without a dashboard."""
    if address != LOCAL:
        return {}
    asked = resources.workers and resources.cpus * resources.workers
    return {
        "num_cpus": asked,
        "include_dashboard": False,
        "object_store_memory": STORE_BYTES,
        "_node_ip_address": "127.0.0.1",
        "_system_config": {"worker_niceness": 0},  # what is timed does not stand back
    }
