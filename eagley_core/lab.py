"""A ready engine with its tokenizer: from a prompt's text to a trace."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.conversation import Conversation
from eagley_core.default_model import Report, cache_folder
from eagley_core.draft_choice import open_draft, prior_of
from eagley_core.engine import Engine, never
from eagley_core.environment import environment
from eagley_core.load import ModelChoice, load_target
from eagley_core.peers import PeerModel
from eagley_core.recorder import Recorder, RunInfo
from eagley_core.steps import StepFacts
from eagley_core.target import Target
from eagley_core.text import Tokenizer, encode
from eagley_core.trace import Trace


class Prompt(NamedTuple):
    """A prompt and what it is called in results."""

    text: str
    name: str = ""
    category: str = ""
    raw: bool = False  # not a chat turn
    history: tuple[str, ...] = ()  # what was said before: by the user, the model, the user, …


@dataclass(frozen=True)
class Lab:
    """Runs prompts. Steps come as they happen; `recorded` turns them into a trace."""

    engine: Engine
    tokenizer: Tokenizer
    draft_name: str
    peers: PeerModel | None = None  # another program with the same weights, where asked for

    def ids(self, prompt: Prompt) -> list[int]:
        return encode(self.tokenizer, prompt.text, prompt.raw, prompt.history)

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def steps(
        self,
        prompt: Prompt,
        config: DecodeConfig,
        cancelled: Callable[[], bool] = never,
        chat: Conversation | None = None,
    ) -> Iterator[StepFacts]:
        """Decode a prompt, as a turn of `chat` where one is given."""
        return self.engine.steps(self.ids(prompt), config, self.decode, cancelled, chat)

    def ran(self, prompt: Prompt, config: DecodeConfig, chat: Conversation | None = None) -> Trace:
        """A whole run, recorded."""
        return self.recorded(prompt, config, list(self.steps(prompt, config, chat=chat)))

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
    """Load target and draft. draft: what `--draft` says; see `open_draft`.

    Raises ValueError or ModelUnavailableError, in one line.
    """
    target, tokenizer = load_target(choice, report)
    report("loading the draft", 0.97)
    opened = open_draft(draft, choice, target, tokenizer)
    report("testing the numerics", 0.98)
    costs, prior = cache_folder() / "costs", prior_of(draft, choice)
    engine = Engine(target, opened, _eos_ids(target, tokenizer), costs, prior)
    report("ready", 1.0)
    return Lab(engine, tokenizer, opened.name if opened else "none")


def _eos_ids(target: Target, tokenizer: Tokenizer) -> set[int]:
    """Every id that ends a text: the model's own, and the tokenizer's."""
    own = tokenizer.eos_token_id
    return {*target.eos_ids, *(() if own is None else (own,))}
