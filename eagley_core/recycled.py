"""Channel R1 (`recycled`) as a source of guesses: the store's entries, coupled where the run is.

The follower is named first. Its probability is midway between the stored one and certainty, so that
it says both what was committed and what the target thought of that.
"""

import math
from collections.abc import Sequence
from operator import itemgetter

from eagley_core.drafting import Couplings
from eagley_core.guesses import Guess, Guesses, Spot
from eagley_core.steps import StepFacts
from eagley_core.store import Likeliest, Store


class Recycled:
    """What the target said wherever the same last tokens stood before."""

    def __init__(self, store: Store, couplings: Couplings) -> None:
        self._store, self._couplings = store, couplings

    def after(self, spot: Spot) -> Guesses | None:
        found = self._store.find(spot.context)
        if found is None:
            return None
        position = spot.position + len(spot.path) + 1
        best, origin = found.entry.likeliest, found.entry.origin
        pairs = zip(best.tokens, self._probabilities(best, position), strict=True)
        ranked = sorted(pairs, key=itemgetter(1), reverse=True)
        follower, order = found.entry.follower, found.order
        if follower is None:
            guesses = [Guess(token, p, origin) for token, p in ranked]
            return Guesses("recycled", f"recycled-{order}", guesses)
        certainty = (1 + dict(ranked).get(follower.token, 0.0)) / 2
        guesses = [Guess(follower.token, certainty, follower.origin)]
        for token, p in ranked:
            if token != follower.token:
                guesses.append(Guess(token, p, origin, f"beside-{order}"))
        return Guesses("recycled", f"followed-{order}", guesses)

    def _probabilities(self, best: Likeliest, position: int) -> Sequence[float]:
        """The stored ones; where the run is coupled, with the noise of the new position."""
        noise = self._couplings.on_host(position, best.tokens)
        if noise is None:
            return best.probabilities
        pairs = zip(best.probabilities, noise, strict=True)
        scores = [math.log(max(p, 1e-9)) / self._couplings.temperature + g for p, g in pairs]
        highest = max(scores)
        odds = [math.exp(score - highest) for score in scores]
        return [odd / sum(odds) for odd in odds]

    def learn(self, facts: StepFacts) -> None:
        """The store is filled by the run itself, from what the target said at every row."""
