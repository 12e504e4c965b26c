"""The control `ngram`: prompt-lookup decoding (Saxena, 2023) in place of reuse.

What followed the newest earlier occurrence of the last tokens, in the prompt and the output, found
by the same contexts as the store's entries.
"""

from collections.abc import Sequence

from eagley_core.contexts import LONGEST, Tokens, contexts
from eagley_core.guesses import Guess, Guesses, Spot
from eagley_core.steps import StepFacts

CERTAINTY = 0.5


class NGrams:
    """Continuations of the committed text's own n-grams, the newest occurrence of each."""

    def __init__(self, prompt_ids: Sequence[int]) -> None:
        self._text: list[int] = []
        self._next: dict[Tokens, int] = {}
        self._add(prompt_ids)

    def after(self, spot: Spot) -> Guesses | None:
        for context in contexts((*self._text[-LONGEST:], *spot.path)):
            token = self._next.get(context)
            if token is not None:
                return Guesses("ngram", f"ngram-{len(context)}", [Guess(token, CERTAINTY, None)])
        return None

    def learn(self, facts: StepFacts) -> None:
        self._add(facts.emitted)

    def _add(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            for context in contexts(self._text):
                self._next[context] = token
            self._text.append(token)
