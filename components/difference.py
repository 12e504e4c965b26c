"""What one lane's tree guessed that another's did not, at the same place of the output.

The roots of the two trees may stand at different positions, so paths are compared as text: each
starts at the earlier root and runs through the tokens that the lane had committed by then.
"""

from collections.abc import Sequence

from eagley_core.trace import Step, Trace

Path = tuple[int, ...]


def difference(a: Trace, step_a: Step, b: Trace, step_b: Step) -> tuple[int, ...]:
    """The nodes of step_a whose path is neither in step_b's tree nor what b had committed by then.

    The bonus of step_b is no guess, so a node of step_a that guessed it counts.
    """
    low = min(step_a.position, step_b.position)
    committed = _committed(b, step_b, low)
    known = {committed[: n + 1] for n in range(len(committed))} | set(_paths(b, step_b, low))
    return tuple(i for i, path in enumerate(_paths(a, step_a, low)) if path not in known)


def divergences(a: Trace, b: Trace) -> tuple[int, ...]:
    """Output positions that both lanes reach, where a new pair of steps meets and their trees
    differ."""
    found, before = [], None
    for position, (ours, theirs) in enumerate(zip(a.emitted, b.emitted, strict=False)):
        pair = a.steps[ours.step], b.steps[theirs.step]
        if (ours.step, theirs.step) != before and _differ(a, b, pair):
            found.append(position)
        before = ours.step, theirs.step
    return tuple(found)


def _differ(a: Trace, b: Trace, steps: tuple[Step, Step]) -> bool:
    step_a, step_b = steps
    return bool(difference(a, step_a, b, step_b) or difference(b, step_b, a, step_a))


def _committed(trace: Trace, step: Step, low: int) -> Path:
    """The lane's text from position `low` to the step's root."""
    prompt = len(trace.prompt_ids)
    start = max(low - prompt, 0)
    return (
        *trace.prompt_ids[low : step.position + 1],
        *trace.output_ids[start : step.position + 1 - prompt],
    )


def _paths(trace: Trace, step: Step, low: int) -> Sequence[Path]:
    """Of each node, the tokens from position `low` down to it."""
    above = _committed(trace, step, low)
    paths: list[Path] = []
    for node in step.nodes:
        parent = above if node.parent < 0 else paths[node.parent]
        paths.append((*parent, node.token_id))
    return paths
