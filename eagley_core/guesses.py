"""What is proposed beside the draft: a token, who says so, and how sure it was."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from eagley_core.steps import StepFacts
from eagley_core.trace import Origin, Source


class Guess(NamedTuple):
    """A token that may follow."""

    token: int
    probability: float  # what its source gives it
    origin: Origin | None
    kind: str | None = None  # where it is not that of its place


class Guesses(NamedTuple):
    """What one source says about one place."""

    source: Source
    kind: str  # of the place: the source, and how it found this; calibrated together
    guesses: Sequence[Guess]  # best first

    def find(self, token: int) -> Guess | None:
        return next((guess for guess in self.guesses if guess.token == token), None)

    def kind_of(self, guess: Guess | None) -> str:
        """The guess's kind; the place's where there is none."""
        return guess.kind if guess and guess.kind else self.kind


class Spot(NamedTuple):
    """Where a guess is wanted: behind `path`, which hangs on the root."""

    before: tuple[int, ...]  # the committed tokens before the root, the newest last
    root: int
    position: int  # the root's
    path: tuple[int, ...]  # tokens from the root's child down

    @property
    def context(self) -> tuple[int, ...]:
        """The newest tokens, those of the path last."""
        return (*self.before, self.root, *self.path)


class Guesser(Protocol):
    """A source of guesses that needs no pass of any model."""

    def after(self, spot: Spot) -> Guesses | None:
        """What it knows of this place; None where it knows nothing."""

    def learn(self, facts: StepFacts) -> None:
        """Take in what a step has shown."""


def first_of(guessers: Iterable[Guesser], spot: Spot) -> Guesses | None:
    """The first source's guesses that knows the place."""
    found = (guesser.after(spot) for guesser in guessers)
    return next((guesses for guesses in found if guesses is not None), None)
