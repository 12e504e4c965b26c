"""Another program's decoding of one prompt, in the figures of our own runs."""

from typing import Any, NamedTuple

from eagley_core.trace import Trace


class PeerRun(NamedTuple):
    """What one call emitted, pass by pass."""

    output_ids: tuple[int, ...]
    passes: tuple[int, ...]  # tokens that each target pass brought; the first reads the prompt
    first_seconds: float  # until the first pass's tokens
    seconds: float  # the whole call


def peer_fields(run: PeerRun, vanilla: Trace) -> dict[str, Any]:
    """Those of `run_fields` that are known of a peer.

    Decode speed: tokens after the first pass over the time after it. A last pass may be cut
    short: it is left out of the mean accepted length.
    """
    decoded, spent = sum(run.passes[1:]), run.seconds - run.first_seconds
    whole = run.passes[1:-1]
    return {
        "token_ids": list(run.output_ids),
        "prompt_tokens": len(vanilla.prompt_ids),
        "new_tokens": len(run.output_ids),
        "seconds": run.seconds,
        "tokens_per_second": len(run.output_ids) / run.seconds,
        "decode_tokens_per_second": decoded / spent if decoded else None,
        "target_passes": len(run.passes) - 1,
        "mean_accepted_length": sum(whole) / len(whole) if whole else None,
        "turn": vanilla.turn,
        "temperature": vanilla.config.temperature,
        "seed": vanilla.config.seed,
        "target": vanilla.target,
        "dtype": vanilla.environment.dtype,
        "device": vanilla.environment.device,
        "threads": vanilla.environment.threads,
    }
