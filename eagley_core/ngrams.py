"""The control `ngram`: prompt-lookup decoding (Saxena, 2023) in place of reuse.

What followed the newest earlier occurrence of the last tokens, in the prompt and the output.
"""

from collections.abc import Sequence

from eagley_core.guesses import Guess, Guesses, Spot
from eagley_core.steps import StepFacts

LONGEST = 3  # tokens of context
CERTAINTY = 0.5


class NGrams:
    """Continuations of the committed text's own n-grams, the newest occurrence of each."""

    def __init__(self, prompt_ids: Sequence[int]) -> None:
        self._text: list[int] = []
        self._next: dict[tuple[int, ...], int] = {}
        self._add(prompt_ids)

    def after(self, spot: Spot) -> Guesses | None:
        text = (*self._text[-LONGEST:], *spot.path)
        for length in range(LONGEST, 0, -1):
            token = self._next.get(text[-length:])
            if token is not None:
                return Guesses("ngram", f"ngram-{length}", [Guess(token, CERTAINTY, None)])
        return None

    def learn(self, facts: StepFacts) -> None:
        self._add(facts.emitted)

    def _add(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            for length in range(1, min(LONGEST, len(self._text)) + 1):
                self._next[tuple(self._text[-length:])] = token
            self._text.append(token)
