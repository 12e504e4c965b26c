"""How large and how slow a draft is, against its target."""

from typing import Any

from eagley_core.config import DecodeConfig
from eagley_core.engine import Engine


def draft_figures(engine: Engine, config: DecodeConfig) -> dict[str, Any]:
    """What one pass of the draft reads and takes, as shares of a target pass; None without one.

    Sizes are of the weights that a pass multiplies with, the target's own in them included: an
    early exit counts the layers that it runs. The draft's pass is one level of 4 nodes, the
    target's one row. Times are measured on this device where they are not known yet.
    """
    draft, target = engine.draft, engine.target
    if draft is None or config.method == "vanilla":
        return dict.fromkeys(("draft_size_ratio", "draft_byte_ratio", "draft_latency_ratio"))
    costs = engine.costs(engine.is_invariant(config))
    return {
        "draft_size_ratio": draft.size.parameters / target.size.parameters,
        "draft_byte_ratio": draft.size.bytes / target.size.bytes,
        "draft_latency_ratio": costs.extend / costs.verify[1],
    }
