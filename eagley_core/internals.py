"""What a run looks like inside, measured on request against a clean pass over its text."""

from dataclasses import dataclass

Row = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DeltaErrors:
    """One layer's attention, had the draft's rows stood in: means over the output's positions.

    Relative errors of what attention gives, before the output projection. `none` is also the size
    of the exact Delta, and `exact` is zero but for rounding.
    """

    layer: int
    none: float
    new: float
    exact: float


@dataclass(frozen=True, slots=True)
class AgeError:
    """Predictions made while the oldest stale row was `age` tokens old."""

    age: int
    count: int
    kl: float  # mean, nats
    flips: int  # the target's likeliest token was another
    error: float  # mean relative error of these tokens' own keys and values, over layers


@dataclass(frozen=True, slots=True)
class Internals:
    """A run's cached rows, predictions and states, against those of a clean pass.

    Columns are positions from `first` on, the first output token; the newest token has no row.
    Errors are relative: the norm of the difference over the norm of the exact one.
    """

    first: int
    key_errors: tuple[Row, ...]  # [layer][position] of each row as its step committed it
    value_errors: tuple[Row, ...]
    attention_errors: tuple[Row, ...]  # [layer][position] of attention over these rows
    kl: Row  # by position: KL(clean || run) of the next token's raw distribution, nats
    flips: tuple[bool, ...]  # the run's likeliest next token is not the clean pass's
    ages: tuple[AgeError, ...]
    deltas: tuple[DeltaErrors, ...]  # of the layers that the draft's rows fit
    layer_similarity: Row  # mean cosine of the states before and after each layer
    draft_similarity: Row  # by depth: mean cosine of the draft's and the target's last states
