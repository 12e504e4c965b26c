"""A ready engine with its tokenizer: from a prompt's text to a trace."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.default_model import HEAD, Report, cache_folder
from eagley_core.draft import EagleDraft
from eagley_core.engine import Engine, never
from eagley_core.environment import environment
from eagley_core.head_file import load_head
from eagley_core.load import ModelChoice, load_target
from eagley_core.recorder import Recorder, RunInfo
from eagley_core.steps import StepFacts
from eagley_core.target import Target
from eagley_core.text import Tokenizer, encode
from eagley_core.trace import Trace

SHIPPED = "the shipped EAGLE-3 head"


class Prompt(NamedTuple):
    """A prompt and what it is called in results."""

    text: str
    name: str = ""
    category: str = ""
    raw: bool = False  # not a chat turn


@dataclass(frozen=True)
class Lab:
    """Runs prompts. Steps come as they happen; `recorded` turns them into a trace."""

    engine: Engine
    tokenizer: Tokenizer
    draft_name: str

    def ids(self, prompt: Prompt) -> list[int]:
        return encode(self.tokenizer, prompt.text, prompt.raw)

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def steps(
        self, prompt: Prompt, config: DecodeConfig, cancelled: Callable[[], bool] = never
    ) -> Iterator[StepFacts]:
        return self.engine.steps(self.ids(prompt), config, self.decode, cancelled)

    def recorded(self, prompt: Prompt, config: DecodeConfig, facts: Sequence[StepFacts]) -> Trace:
        """The trace of a run's steps."""
        info = RunInfo(
            name=prompt.name,
            category=prompt.category,
            prompt=prompt.text,
            prompt_ids=tuple(self.ids(prompt)),
            config=config,
            draft=self.draft_name if config.method != "vanilla" else "none",
            environment=environment(self.engine, self.engine.is_invariant(config)),
        )
        return Recorder(self.engine.target, self.tokenizer.decode, info).trace(facts)


def open_lab(choice: ModelChoice, draft: str | None, report: Report) -> Lab:
    """Load target and draft. draft: a folder, `none`, or None for the default target's own head.

    Raises ValueError or ModelUnavailableError, in one line.
    """
    target, tokenizer = load_target(choice, report)
    folder = _draft_folder(choice, draft)
    report("loading the draft", 0.97)
    eagle = None
    if folder is not None:
        name = SHIPPED if folder == HEAD else folder.name
        eagle = EagleDraft(load_head(folder, target), target, name)
    report("testing the numerics", 0.98)
    engine = Engine(target, eagle, _eos_ids(target, tokenizer), cache_folder() / "costs")
    report("ready", 1.0)
    return Lab(engine, tokenizer, eagle.name if eagle else "none")


def _draft_folder(choice: ModelChoice, draft: str | None) -> Path | None:
    if draft == "none" or (draft is None and choice.target is not None):
        return None
    return HEAD if draft is None else Path(draft)


def _eos_ids(target: Target, tokenizer: Tokenizer) -> set[int]:
    """Every id that ends a text: the model's own, and the tokenizer's."""
    own = tokenizer.eos_token_id
    return {*target.eos_ids, *(() if own is None else (own,))}
