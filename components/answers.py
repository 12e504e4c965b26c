"""What machines are told about a comparison: plain JSON, numbers in full, model text as it is."""

from dataclasses import fields, is_dataclass
from typing import Any

from components.selection import Comparison
from components.speed_up import speed_up
from components.verdict import reason, token_text
from eagley_core.config import TreeShape
from eagley_core.metrics import Ratio, first_difference, summary
from eagley_core.rule import Rule
from eagley_core.trace import Prediction, Step, Trace


def plain(value: Any) -> Any:
    """Records as objects, tuples as lists; a rule or a tree as it is written in settings."""
    if isinstance(value, Rule | TreeShape):
        return str(value)
    if isinstance(value, Ratio):
        return {"hits": value.hits, "tested": value.tested, "value": value.value}
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value


def listed(comparison: Comparison) -> dict[str, Any]:
    """A run as a list of runs shows it."""
    prompt = comparison.traces[0].prompt
    lanes = list(comparison.lanes)
    return {"run": comparison.key, "name": comparison.name, "prompt": prompt, "lanes": lanes}


def described(comparison: Comparison) -> dict[str, Any]:
    """A run with every lane's text, numbers, settings and environment."""
    lanes = {name: _described(trace) for name, trace in comparison.lanes.items()}
    return listed(comparison) | {"lanes": lanes}


def _described(trace: Trace) -> dict[str, Any]:
    return {
        "text": trace.text,
        "finish_reason": trace.finish_reason,
        "steps": len(trace.steps),
        "summary": plain(summary(trace)),
        "settings": plain(trace.config),
        "target": trace.target,
        "draft": trace.draft,
        "environment": plain(trace.environment),
    }


def stepped(comparison: Comparison, lane: str, index: int) -> dict[str, Any]:
    """One step of a lane: its tree with verdicts and reasons, its times, and its cached rows.

    Raises ValueError for a lane or a step that there is not.
    """
    trace = lane_of(comparison, lane)
    if type(index) is not int:
        raise ValueError(f"step must be a whole number, got {index!r:.80}")
    if not 0 <= index < len(trace.steps):
        last = len(trace.steps) - 1
        raise ValueError(f"{lane} has the steps 0 to {last} here, got {index}")
    step = trace.steps[index]
    nodes = [_node(trace, step, number) for number in range(len(step.nodes))]
    texts = {str(token): token_text(trace, token) for token in sorted(_tokens(step))}
    return {"run": comparison.key, "lane": lane} | plain(step) | {"nodes": nodes, "texts": texts}


def lane_of(comparison: Comparison, lane: str) -> Trace:
    """A lane's run. Raises ValueError for one that there is not."""
    if not isinstance(lane, str) or lane not in comparison.lanes:
        known = ", ".join(comparison.lanes)
        raise ValueError(f"the run has the lanes {known}, got {lane!r:.80}")
    return comparison.lanes[lane]


def _node(trace: Trace, step: Step, index: int) -> dict[str, Any]:
    node = step.nodes[index]
    told = {"text": token_text(trace, node.token_id), "reason": reason(trace, step, index)}
    return told | plain(node)


def _tokens(step: Step) -> set[int]:
    """Every token id that the step names."""
    predictions = [step.after_root, *(node.after for node in step.nodes)]
    named = {token for prediction in predictions for token in _predicted(prediction)}
    return named | {step.root_id, step.bonus_id, *(node.token_id for node in step.nodes)}


def _predicted(prediction: Prediction) -> tuple[int, ...]:
    return (prediction.choice_id, *(candidate.token_id for candidate in prediction.top))


def compared(comparison: Comparison) -> dict[str, Any]:
    """The lanes' numbers side by side, and how each stands to vanilla's output."""
    vanilla = comparison.lanes.get("vanilla")
    lanes = {name: _compared(trace, vanilla) for name, trace in comparison.lanes.items()}
    return listed(comparison) | {"lanes": lanes}


def _compared(trace: Trace, vanilla: Trace | None) -> dict[str, Any]:
    difference = None if vanilla is None else first_difference(vanilla, trace)
    return {
        "summary": plain(summary(trace)),
        "speedup_over_vanilla": speed_up(trace, vanilla),
        "identical_to_vanilla": None if vanilla is None else difference is None,
        "first_difference": plain(difference),
        "device": trace.environment.device,
        "dtype": trace.environment.dtype,
    }
