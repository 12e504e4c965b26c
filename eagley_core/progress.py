"""What a live run tells while it goes on. Needs neither torch nor the model."""

from typing import NamedTuple


class Progress(NamedTuple):
    """What one step added to a run."""

    tokens: tuple[tuple[str, str], ...]  # text piece, and a Source or "bonus"
    new_tokens: int  # so far
    seconds: float  # on the run's clock


class Loading(NamedTuple):
    """How far a model's download or loading is."""

    text: str
    fraction: float | None  # None: unknown
