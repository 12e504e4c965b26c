"""How a measurement decides about a statement: each rule as a function and in words."""

from math import sqrt
from typing import Final, Literal, NamedTuple

from components.words import ENGLISH, Phrase, Words
from eagley_core.statistics import Interval

Verdict = Literal["holds", "part", "fails", "unmeasured"]
VERDICTS: Final[dict[Verdict, Phrase]] = {
    "holds": Phrase("Holds here"),
    "part": Phrase("Holds in part"),
    "fails": Phrase("Does not hold here"),
    "unmeasured": Phrase("Not measured here"),
}
UNKNOWN: Final = Interval(None, None, None)
CONFIDENCE: Final = 1.96  # standard deviations: 95 %


class Ruling(NamedTuple):
    """A verdict, and the rule that gave it."""

    verdict: Verdict
    words: str


def above(found: Interval, bound: float, say: Words = ENGLISH) -> Ruling:
    """The statement says that a figure lies above a bound."""
    words = say(
        "It holds where the whole interval lies above {bound}, and does not hold where none of it "
        "does; otherwise it holds in part.",
        bound=f"{bound:g}",
    )
    return Ruling(_between(found, bound, float("inf")), words)


def within(found: Interval, low: float, high: float, say: Words = ENGLISH) -> Ruling:
    """The statement gives a range."""
    words = say(
        "It holds where the whole interval lies in the seed's range, {low} to {high}, and does not "
        "hold where the two do not meet; otherwise it holds in part.",
        low=f"{low:g}",
        high=f"{high:g}",
    )
    return Ruling(_between(found, low, high), words)


def _between(found: Interval, low: float, high: float) -> Verdict:
    if found.low is None or found.high is None:
        return "unmeasured"
    if low < found.low and found.high <= high:
        return "holds"
    return "fails" if found.high <= low or found.low > high else "part"


def every(verdicts: list[bool | None]) -> Verdict:
    """Of several tests that were made: all, some or none passed."""
    known = [verdict for verdict in verdicts if verdict is not None]
    if not known:
        return "unmeasured"
    return "holds" if all(known) else "part" if any(known) else "fails"


def share_interval(hits: int, tested: int) -> Interval:
    """A share with its 95 % interval (Wilson 1927)."""
    if not tested:
        return UNKNOWN
    share, z = hits / tested, CONFIDENCE
    scale = 1 + z * z / tested
    middle = (share + z * z / (2 * tested)) / scale
    half = z * sqrt(share * (1 - share) / tested + z * z / (4 * tested * tested)) / scale
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))
