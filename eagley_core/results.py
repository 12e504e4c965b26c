"""A run in figures, as the command line prints them and result files keep them."""

from collections.abc import Sequence
from typing import Any

from eagley_core.config import DecodeConfig
from eagley_core.errors import Observed, errors, observed, pooled
from eagley_core.metrics import Ratio, summary
from eagley_core.trace import Trace


def run_fields(trace: Trace) -> dict[str, Any]:
    """Every figure of one run, JSON-ready. Ratios are given with both counts."""
    figures = {name: _plain(value) for name, value in summary(trace)._asdict().items()}
    environment = trace.environment
    return {
        "text": trace.text,
        "token_ids": list(trace.output_ids),
        **figures,
        "finish_reason": trace.finish_reason,
        "turn": trace.turn,
        "reused_rows": trace.reused_rows,
        "method": trace.config.method,
        "tree": str(trace.config.tree),
        "rule": str(trace.config.rule),
        "errors": error_fields([observed(trace)]) if is_approximate(trace.config) else None,
        "temperature": trace.config.temperature,
        "seed": trace.config.seed,
        "store_bytes": trace.steps[-1].store_bytes,
        "record_seconds": trace.record_seconds,
        "target": trace.target,
        "draft": trace.draft,
        "dtype": environment.dtype,
        "device": environment.device,
        "threads": environment.threads,
        "numerics": environment.numerics,
    }


def is_approximate(config: DecodeConfig) -> bool:
    """Whether the run's rule can emit what the target would not."""
    return config.method != "vanilla" and not config.rule.is_lossless


def error_fields(runs: Sequence[Observed]) -> dict[str, Any]:
    """What the rule of these runs cost, JSON-ready."""
    return errors(pooled(runs))._asdict()


def _plain(value: Any) -> Any:
    if isinstance(value, Ratio):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
