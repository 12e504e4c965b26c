"""Fitting a draft's prior: runs of some prompts, and what became of every candidate."""

from collections.abc import Callable, Iterable, Sequence

from eagley_core.calibration import Calibration
from eagley_core.config import DecodeConfig
from eagley_core.conversation import Conversation, Memory
from eagley_core.lab import Lab, Prompt
from eagley_core.prior import Outcome, Prior, fit
from eagley_core.prompt_file import PromptLine
from eagley_core.store import Store


class Witness(Calibration):
    """Learns as a run does, and keeps every outcome."""

    def __init__(self, prior: Prior | None) -> None:
        super().__init__(prior)
        self.outcomes: list[Outcome] = []

    def learn(self, outcomes: Iterable[Outcome]) -> None:
        seen = list(outcomes)
        self.outcomes += seen
        super().learn(seen)


def fitted(
    lab: Lab,
    lines: Sequence[PromptLine],
    configs: Sequence[DecodeConfig],
    report: Callable[[int], None],
) -> tuple[Prior, int]:
    """The prior of the lab's draft, and how many candidates it was fitted on.

    configs: the ways to run every prompt. Which candidates are tested depends on what was thought
    of them before, but not whether one is accepted given its evidence: so runs with an older
    prior fit a newer one.
    """
    outcomes: list[Outcome] = []
    for number, line in enumerate(lines, start=1):
        for config in configs:
            witness = Witness(lab.engine.prior)
            chat = Conversation(Memory(Store(), witness))
            prompt = Prompt(line.text, name=line.question_id, category=line.category)
            for _ in lab.steps(prompt, config, chat=chat):
                pass
            outcomes += witness.outcomes
        report(number)
    return fit(outcomes), len(outcomes)
