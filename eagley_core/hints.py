"""EAGLEY's channels as the proposer sees them: sources of guesses, and what it may do."""

from collections.abc import Sequence
from typing import NamedTuple

from eagley_core.calibration import Calibration
from eagley_core.config import DecodeConfig
from eagley_core.conversation import Memory
from eagley_core.drafting import Couplings
from eagley_core.guesses import Guesser
from eagley_core.kept_pool import KeptPool
from eagley_core.ngrams import NGrams
from eagley_core.recycled import Recycled
from eagley_core.suffix import Suffix


class Hints(NamedTuple):
    """What a proposer has beside the draft. Of the guessers the first that knows a place counts."""

    calibration: Calibration
    couplings: Couplings
    guessers: Sequence[Guesser] = ()
    pool: KeptPool | None = None  # R3: the draft's last pool; with it a step may skip drafting
    as_many_drafted: bool = False  # control: as many nodes, all of them the draft's


def hints_of(
    config: DecodeConfig, memory: Memory, couplings: Couplings, prompt_ids: Sequence[int]
) -> Hints:
    """What the run's channels give. EAGLE has none."""
    guessers: list[Guesser] = []
    if memory.store is not None and config.channel("recycled") is not None:
        guessers.append(Recycled(memory.store, couplings))
    if config.channel("suffix") is not None:
        guessers.append(Suffix())
    if config.channel("ngram") is not None:
        guessers.append(NGrams(prompt_ids))
    pool = KeptPool() if config.channel("draft-state") is not None else None
    if pool is not None:
        guessers.append(pool)
    return Hints(
        memory.calibration, couplings, guessers, pool, config.channel("more-draft") is not None
    )
