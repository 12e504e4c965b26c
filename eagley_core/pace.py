"""How deep to draft, learnt from what each depth would have been worth in the steps before."""

SMOOTHING = 0.2
LOOK_EVERY = 8  # steps after which a deeper draft is tried again


class Pace:
    """The drafting depth with the best running rate; now and then one level more, to know it."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._rates: dict[int, float] = {}
        self._steps = 0
        self.depth = min(3, deepest)

    def note(self, rates: dict[int, float]) -> None:
        """Take one step's expected tokens per second, by drafting depth."""
        for depth, rate in rates.items():
            known = self._rates.get(depth, rate)
            self._rates[depth] = known + SMOOTHING * (rate - known)
        self._steps += 1
        best = max(self._rates, key=self._rates.__getitem__)
        deeper = min(best + 1, self._deepest)
        unknown = deeper not in self._rates
        self.depth = deeper if unknown or self._steps % LOOK_EVERY == 0 else best
