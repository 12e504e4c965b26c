"""How deep to draft, and whether to draft at all, learnt from the steps before."""

from collections import defaultdict

from eagley_core.admission import Admission
from eagley_core.costs import Costs

SMOOTHING = 0.2
LOOK_EVERY = 8  # steps after which a deeper draft, or any draft, is tried again
MARGIN = 1.1  # how much better a step without drafting has to look
FADING = 0.95
FIRST_GAIN, FIRST_NODES = 0.8, 2.0  # of drafting, before anything was seen; worth two steps


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


class Thrift:
    """Whether a step can do without drafting (R3): its stored nodes alone promise the better rate.

    What drafting would add is known only where it was done: a fading mean of the tokens and nodes
    that it added, by how much the stored nodes promised without it.
    """

    def __init__(self) -> None:
        self._sums: dict[int, list[float]] = defaultdict(
            lambda: [2 * FIRST_GAIN, 2 * FIRST_NODES, 2.0]
        )
        self._steps = 0

    def skips(self, lone: Admission, depth: int, costs: Costs) -> bool:
        """lone: the tree without drafting; depth: how deep it would be drafted."""
        self._steps += 1
        tokens, nodes, weight = self._sums[_promise(lone)]
        rows = min(lone.count + 1 + round(nodes / weight), len(costs.verify) - 1)
        seconds = costs.draft_seconds(depth) + costs.verify[rows]
        drafted = (lone.estimate.tokens + tokens / weight) / seconds
        return lone.rate > MARGIN * drafted and self._steps % LOOK_EVERY != 0

    def note(self, lone: Admission, full: Admission) -> None:
        """Take a step that was drafted, and what it would have been without."""
        sums = self._sums[_promise(lone)]
        added = full.estimate.tokens - lone.estimate.tokens, full.count - lone.count, 1.0
        sums[:] = [FADING * old + new for old, new in zip(sums, added, strict=True)]


def _promise(lone: Admission) -> int:
    """Tokens that the stored nodes promise beyond the bonus, in halves."""
    return min(7, int(2 * (lone.estimate.tokens - 1)))
