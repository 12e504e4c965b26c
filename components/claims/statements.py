"""The seed's statements in its order, each beside what was measured here.

Every figure comes from a result file of the project, which is named beside it. Where there is none
the claim says so, and how to measure it.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from components.claims.acceptance import acceptance, rules
from components.claims.coupling import coupling
from components.claims.drafts import drafts
from components.claims.kinds import Claim
from components.claims.lossless import literal, lossless
from components.claims.peers import peers
from components.claims.rejected import discarded, efficiency, informative, memory
from components.claims.results import Results
from components.claims.rows import delta, noise
from components.claims.rulings import VERDICTS
from components.claims.speed import beta, deeper, formula, gain
from components.claims.states import layers, recursion, states
from components.claims.tables import lengths, quality
from components.words import ENGLISH, Words

CLAIMS: Final[tuple[Callable[[Results, Words], Claim], ...]] = (
    discarded,
    informative,
    efficiency,
    memory,
    rules,
    layers,
    states,
    recursion,
    delta,
    noise,
    acceptance,
    deeper,
    drafts,
    literal,
    formula,
    beta,
    gain,
    quality,
    lengths,
    lossless,
    coupling,
    peers,
)


def claims(results: Results, say: Words = ENGLISH) -> tuple[Claim, ...]:
    """All of them."""
    return tuple(claim(results, say) for claim in CLAIMS)


def tally(found: tuple[Claim, ...], say: Words = ENGLISH) -> str:
    """How many hold, and how many do not."""
    counts = Counter(claim.ruling.verdict for claim in found)
    told = [f"{say(words)} {counts[verdict]}" for verdict, words in VERDICTS.items()]
    return " · ".join(told)
