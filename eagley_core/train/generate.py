"""Conversations that the target writes itself: training data without a data file.

Made in rounds that are stored one by one. A round is decided by the seed, its number and the
rounds before it, so a run that was stopped continues as if it had not been.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from eagley_core.target import Target
from eagley_core.text import Tokenizer
from eagley_core.train.asks import Ask, Asker
from eagley_core.train.slots import Job, Slots

Report = Callable[[str], None]
MARK = "\ue000"  # stands for what the target adds to an opening
USER_LIMIT, MATERIAL_LIMIT = 80, 360
LIMITS = (128, 128, 160)
HEATS = (0.0, 0.0, 0.0, 0.7, 1.0)  # of answers
ROUND_PER_SLOT = 5


@dataclass
class Talk:
    """A conversation in the making."""

    ask: Ask
    heat: float
    limit: int
    messages: list[dict] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    answers: list[tuple[int, int]] = field(default_factory=list)  # where in `tokens`

    def answer(self) -> str:
        return self.messages[-1]["content"]


class Writer:
    """Writes rounds of conversations with one target."""

    def __init__(self, target: Target, tokenizer: Tokenizer, slots: Slots, seed: int) -> None:
        if tokenizer.chat_template is None:
            raise ValueError(f"target {target.name} has no chat template: it cannot write data")
        self.tokenizer, self.slots, self.seed = tokenizer, slots, seed
        self.asker = Asker()

    def round(
        self,
        number: int,
        size: int,
        library: Mapping[str, Sequence[str]],
        ended: Callable[[], None] = lambda: None,
    ) -> list[Talk]:
        """Up to `size` conversations; those without a usable user turn are left out.

        `library`: texts to ask about, by kind; `ended` is called when a conversation is complete.
        """
        self.ended = ended
        rng = random.Random(f"{self.seed} {number}")
        talks = [self._begin(rng, library) for _ in range(size)]
        jobs = [self._first(talk, rng) for talk in talks]
        self.slots.run([job for job in jobs if job], self._finish)
        return [talk for talk in talks if talk.answers]

    def _begin(self, rng: random.Random, library: Mapping[str, Sequence[str]]) -> Talk:
        ask = self.asker.ask(rng, library)
        if ask.kind.startswith("materials"):
            return Talk(ask, rng.choice((0.7, 1.0)), MATERIAL_LIMIT)
        return Talk(ask, rng.choice(HEATS), rng.choice(LIMITS))

    def _first(self, talk: Talk, rng: random.Random) -> Job | None:
        noise = rng.getrandbits(48)
        if not talk.ask.is_opening:
            return self._asked(talk, talk.ask.text, noise)
        turn = {"role": "user", "content": talk.ask.text + MARK}
        head = self.tokenizer.apply_chat_template([turn], tokenize=False).split(MARK)[0]
        prompt = self.tokenizer.encode(head, add_special_tokens=False)
        return Job(tuple(prompt), USER_LIMIT, 1.0, noise, talk)

    def _finish(self, job: Job, ids: list[int]) -> Job | None:
        talk = job.tag
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        if not talk.messages:
            return self._asked(talk, (talk.ask.text + text).strip(), job.noise + 1)
        talk.messages.append({"role": "assistant", "content": text})
        before, talk.tokens = talk.tokens, [*job.prompt, *ids]
        if talk.tokens[: len(before)] != before:  # put together again, the words fell differently
            talk.answers.clear()
        talk.answers.append((len(job.prompt), len(talk.tokens)))
        if talk.ask.followup and len(talk.messages) == 2 and text:
            return self._asked(talk, talk.ask.followup, job.noise + 2)
        self.ended()
        return None

    def _asked(self, talk: Talk, text: str, noise: int) -> Job | None:
        """The job to answer this user turn, unless it does not fit into a slot."""
        turns = [*talk.messages, {"role": "user", "content": text}]
        prompt = self.tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_dict=False
        )
        if not text or len(prompt) + talk.limit > self.slots.capacity:
            return None
        talk.messages = turns
        return Job(tuple(prompt), talk.limit, talk.heat, noise, talk)
