"""Every knob of a training run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TrainSettings:
    """How a head is trained. With `steps` the length is that many updates, else the budget's."""

    budget_minutes: float = 75.0  # everything: features, training, evaluation
    steps: int | None = None
    seed: int = 0
    draft_vocab: int = 8192
    batch_tokens: int = 1600
    learning_rate: float = 1e-3
    final_rate: float = 0.02  # share of the learning rate that is left at the end
    decay_share: float = 1.0  # part of the training, at its end, in which the rate falls
    warmup_steps: int = 50
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    label_temperature: float = 0.7  # below 1, the target's first choices count more
    unrolled_steps: int = 3
    single_share: float = 0.6  # part of the training that unrolls one step only
    step_weight: float = 0.8  # each unrolled step counts this much of the one before
    evaluate_every: int = 200  # updates between evaluations, which are also checkpoints
    patience: int | None = None  # evaluations without a better one after which training stops

    def __post_init__(self) -> None:
        sizes = ("draft_vocab", "batch_tokens", "unrolled_steps", "evaluate_every")
        self._demand(("budget_minutes", "label_temperature"), "above 0", lambda x: x > 0)
        self._demand((*sizes, "steps", "patience"), "at least 1", lambda x: x >= 1)
        self._demand(("single_share", "decay_share"), "between 0 and 1", lambda x: 0 <= x <= 1)

    def _demand(self, names: Sequence[str], words: str, holds: Callable[[float], bool]) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not holds(value):
                raise ValueError(f"{name} must be {words}, got {value}")
