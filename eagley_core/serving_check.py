"""The serving model against this machine: its own roofline, its own passes."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from eagley_core.config import DecodeConfig
from eagley_core.devices import Device
from eagley_core.engine import Engine
from eagley_core.peaks import measure_peaks
from eagley_core.serving import Drafting, Load, Shape, speedup
from eagley_core.serving_inputs import by_costs, check, fitted
from eagley_core.target import Target

ENOUGH = 1e15  # bytes: one sequence always fits


def shape_of(target: Target) -> Shape:
    """The loaded target's."""
    config, size = target.config, target.size
    heads = config.num_attention_heads
    return Shape(
        name=target.name,
        parameters=size.parameters,
        layers=config.num_hidden_layers,
        heads=heads,
        kv_heads=getattr(config, "num_key_value_heads", None) or heads,
        head_dim=getattr(config, "head_dim", None) or config.hidden_size // heads,
        bytes_each=size.bytes / size.parameters,
    )


def peaks_of(engine: Engine) -> Device:
    """What this machine reaches, in the engine's numbers."""
    return measure_peaks(engine.target.device, engine.target.dtype, ENOUGH)


def check_here(engine: Engine, device: Device, methods: Mapping[str, Drafting]) -> dict[str, Any]:
    """Pass times by the roofline and measured; and every method's speed-up for one sequence by
    the roofline, by the roofline with fitted shares, and by the measured passes."""
    target, costs = engine.target, engine.costs(engine.is_invariant(DecodeConfig("vanilla")))
    shape, load = shape_of(target), Load(1, costs.cached)
    shares = fitted(device, shape, costs.verify, costs.cached)
    predicted = {
        name: {
            "roofline": speedup(device, shape, load, drafting),
            "fitted": speedup(shares, shape, load, drafting),
            "passes": by_costs(costs, load, drafting),
        }
        for name, drafting in methods.items()
    }
    return {
        "device": asdict(device),
        "model": asdict(shape),
        "context": costs.cached,
        "passes": check(device, shape, costs.verify, costs.cached),
        "predicted": predicted,
    }
