"""Channel R2 (`suffix`): a rejected branch is hung again under the token that replaced its head.

The branch goes on at the same offset (its head was substituted), one token later (the new token
was inserted before its head) or one earlier (its head was one too many). This is the seed's "skip
the token, keep the context" (its section 3.2), as a guess that the target verifies.
"""

from collections.abc import Iterator

from eagley_core.guesses import Guess, Guesses, Spot
from eagley_core.steps import StepFacts
from eagley_core.trace import Origin

CERTAINTY = 0.5  # a branch's tokens come without a probability; calibration learns what they are


class Suffix:
    """The rejected branches of the last step, by the path at which each token is tried again."""

    def __init__(self) -> None:
        self._by_path: dict[str, dict[tuple[int, ...], list[Guess]]] = {}

    def after(self, spot: Spot) -> Guesses | None:
        for offset, by_path in self._by_path.items():
            if spot.path in by_path:
                return Guesses("suffix", f"suffix-{offset}", by_path[spot.path])
        return None

    def learn(self, facts: StepFacts) -> None:
        self._by_path = {"substituted": {}, "inserted": {}, "deleted": {}}
        if not facts.index:
            return
        for offset, path, guess in self._hung(facts):
            known = self._by_path[offset].setdefault(path, [])
            if all(other.token != guess.token for other in known):
                known.append(guess)

    def _hung(self, facts: StepFacts) -> Iterator[tuple[str, tuple[int, ...], Guess]]:
        """Every token of the rejected branches, and what the target said after each."""
        for row, branch in _branches(facts).items():
            origin = Origin(facts.index, row - 1, True, facts.turn)
            said = Guess(facts.rows.choices[row], CERTAINTY, origin)
            own = Guess(branch[-1], CERTAINTY, origin)
            yield "inserted", branch[:-1], own
            yield "inserted", branch, said
            if len(branch) > 1:
                yield "substituted", branch[1:-1], own
            yield "substituted", branch[1:], said
            if len(branch) > 1 and branch[1] == facts.bonus_id:
                if len(branch) > 2:
                    yield "deleted", branch[2:-1], own
                yield "deleted", branch[2:], said


def _branches(facts: StepFacts) -> dict[int, tuple[int, ...]]:
    """Of every row below the last accepted one: its tokens from there down."""
    last = facts.path[-1] if facts.path else 0
    found: dict[int, tuple[int, ...]] = {}
    for row in range(1, len(facts.rows.tokens)):
        parent = facts.rows.parents[row]
        if parent == last or parent in found:
            found[row] = (*found.get(parent, ()), facts.rows.tokens[row])
    return found
