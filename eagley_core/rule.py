"""Acceptance rules by name: which rule decides, and with what numbers."""

import math
from dataclasses import dataclass

# Of each rule: its numbers by name, each with its lowest and highest value.
_SHARE = (0.0, 1.0)
RULES: dict[str, dict[str, tuple[float, float]]] = {
    "exact": {},
    "speculative": {},
    "seed-ratio": {"threshold": _SHARE},
    "seed-threshold": {"threshold": _SHARE},
    "seed-literal": {"threshold": _SHARE},
    "top-k": {"k": (1, 1024)},
    "lenience": {"lenience": _SHARE},
    "typical": {"epsilon": _SHARE, "delta": _SHARE},
}
LOSSLESS = ("exact", "speculative")  # in tokens, and in distribution


@dataclass(frozen=True, slots=True)
class Rule:
    """How nodes are accepted. `numbers` are those that RULES names, in that order."""

    name: str = "exact"
    numbers: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.name!r:.80}")
        wanted = RULES[self.name]
        if len(self.numbers) != len(wanted):
            told = ",".join(wanted) or "no number"
            raise ValueError(f"rule {self.name} takes {told}, got {self.numbers}")
        for number, (what, (low, high)) in zip(self.numbers, wanted.items(), strict=True):
            if not (low <= number <= high and math.isfinite(number)):
                raise ValueError(
                    f"{what} of rule {self.name} must lie in [{low}, {high}], got {number}"
                )

    @classmethod
    def parse(cls, text: str) -> "Rule":
        """Read `NAME` or `NAME:NUMBER[,NUMBER]`."""
        name, colon, numbers = text.partition(":")
        try:
            return cls(name, tuple(float(part) for part in numbers.split(",")) if colon else ())
        except ValueError as error:
            if "could not convert" in str(error):
                raise ValueError(f"rule {name} has a number that is none: {text!r:.80}") from error
            raise

    def __str__(self) -> str:
        return self.name + (":" if self.numbers else "") + ",".join(f"{n:g}" for n in self.numbers)

    @property
    def is_lossless(self) -> bool:
        """Whether the output is vanilla's: in its tokens (exact) or in its distribution."""
        return self.name in LOSSLESS
