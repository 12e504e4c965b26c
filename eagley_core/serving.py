"""What a server of many sequences would gain: arithmetic, a model and not a measurement. Pure.

A pass reads all weights once and every sequence's cached rows, and multiplies every row with every
weight. It takes the longer of the two, as in the roofline of Williams, Waterman and Patterson
(2009). With B sequences that verify n rows each the pass has B n rows, so that speculation, nearly
free while reading dominates, is paid for in full once computing does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eagley_core.devices import GIGA, Device


@dataclass(frozen=True)
class Shape:
    """A dense decoder-only model. parameters: those that a token is multiplied with, the embedding
    table left out and the lm_head included; bytes_each: of a weight, and of a cached number."""

    name: str
    parameters: float
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    bytes_each: float = 2

    @property
    def weight_bytes(self) -> float:
        return self.parameters * self.bytes_each

    @property
    def row_bytes(self) -> float:
        """Of one cached position: keys and values of all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * self.bytes_each


# From the models' public configurations.
_SHAPES = (
    Shape("SmolLM2-135M", 0.1345 * GIGA, 30, 9, 3, 64),
    Shape("Llama-3.1-8B", 7.50 * GIGA, 32, 32, 8, 128),
    Shape("Qwen3-8B", 7.57 * GIGA, 36, 32, 8, 128),
    Shape("Llama-3.3-70B in 8 bits", 69.5 * GIGA, 80, 64, 8, 128, bytes_each=1),
)
SHAPES = {shape.name: shape for shape in _SHAPES}


class Drafting(NamedTuple):
    """What one step of a method does, on average, and what it brings.

    tokens: committed per step, bonus included; rows: verified per sequence, the root included;
    passes: of the draft; width: rows of one of them; size: its weights over the target's.
    """

    tokens: float
    rows: float
    passes: float = 0.0
    width: float = 1.0
    size: float = 0.0


class Load(NamedTuple):
    """How many sequences are decoded at once, and how many positions each of them has cached."""

    batch: int
    context: int


class Pass(NamedTuple):
    """What a pass moves and computes: bytes and operations."""

    bytes: float
    operations: float


def target_pass(shape: Shape, load: Load, rows: float) -> Pass:
    """A pass of the target over `rows` rows of every sequence."""
    every, attended = load.batch * rows, load.batch * load.context
    read = shape.weight_bytes + (attended + every) * shape.row_bytes
    attention = 4 * shape.layers * shape.heads * shape.head_dim * load.context  # of one row
    return Pass(read, every * (2 * shape.parameters + attention))


def draft_pass(shape: Shape, load: Load, drafting: Drafting) -> Pass:
    """A pass of a draft with one layer of the target's kind, and `size` of its weights."""
    every, attended = load.batch * drafting.width, load.batch * load.context
    layer = shape.row_bytes / shape.layers
    attention = 4 * shape.heads * shape.head_dim * load.context
    read = drafting.size * shape.weight_bytes + (attended + every) * layer
    return Pass(read, every * (2 * drafting.size * shape.parameters + attention))


def seconds(device: Device, work: Pass) -> float:
    """The roofline: the longer of reading and computing, and what every pass takes beside."""
    read = work.bytes / (device.bandwidth * device.read)
    computed = work.operations / (device.compute * device.computed)
    return max(read, computed) + device.fixed


def step_seconds(device: Device, shape: Shape, load: Load, drafting: Drafting) -> float:
    """One step: the draft's passes one after the other, then the target's."""
    drafted = drafting.passes * seconds(device, draft_pass(shape, load, drafting))
    return drafted + seconds(device, target_pass(shape, load, drafting.rows))


VANILLA = Drafting(tokens=1, rows=1)


def speedup(device: Device, shape: Shape, load: Load, drafting: Drafting) -> float | None:
    """Tokens per second over vanilla's at the same load; None where it does not fit in memory."""
    if needed(shape, load, drafting) > device.memory:
        return None
    plain = step_seconds(device, shape, load, VANILLA)
    return drafting.tokens * plain / step_seconds(device, shape, load, drafting)


def needed(shape: Shape, load: Load, drafting: Drafting) -> float:
    """Bytes of weights and caches, the draft's and a step's own rows included."""
    weights = shape.weight_bytes * (1 + drafting.size)
    return weights + load.batch * (load.context + drafting.rows) * shape.row_bytes


def turning_point(
    device: Device, shape: Shape, context: int, drafting: Drafting, most: int = 4096
) -> int | None:
    """The largest batch that fits at which the method is still faster than vanilla; 0: at none,
    None: at every batch up to `most` that fits."""
    last = 0
    for batch in range(1, most + 1):
        found = speedup(device, shape, Load(batch, context), drafting)
        if found is None:
            return None
        if found <= 1:
            return last
        last = batch
    return None


def grid(
    device: Device, shape: Shape, loads: Sequence[Sequence[Load]], drafting: Drafting
) -> list[list[float | None]]:
    """Speed-ups, in the order of the loads."""
    return [[speedup(device, shape, load, drafting) for load in row] for row in loads]
