"""The acceptance rules and reuse channels that the page offers, as the core reads them."""

from typing import Final

from components.live_run import USUAL
from eagley_core.reuse import CHANNELS
from eagley_core.rule import RULES, Rule

NUMBERS: Final = {  # to begin with; any other can be typed
    "seed-ratio": (0.3,),
    "seed-threshold": (0.3,),
    "seed-literal": (0.3,),
    "top-k": (3,),
    "lenience": (0.5,),
    "typical": (0.3, 0.09),
}
AGE: Final = "4"  # tokens until stale rows are computed anew


def offered_rules() -> list[str]:
    """Every rule, with numbers where it has some."""
    return [str(Rule(name, NUMBERS.get(name, ()))) for name in RULES]


def what_if_rules() -> list[str]:
    """Every rule that a recorded tree can be judged by."""
    return [rule for rule in offered_rules() if not rule.startswith("seed-literal")]


def further_channels() -> list[str]:
    """Every channel that is not usual, one entry per value."""
    texts = (
        f"{name}:{AGE if value == 'N' else value}".removesuffix(":")
        for name, values in CHANNELS.items()
        for value in values
    )
    return [text for text in texts if text not in USUAL]
