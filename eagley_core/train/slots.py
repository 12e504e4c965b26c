"""Many texts continued at once: every slot holds one, and is refilled when that one ends."""

import heapq
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from eagley_core import host
from eagley_core.target import Target
from eagley_core.train.slot_cache import SlotCache, attending

MIN_P = 0.02  # when sampling, tokens below this share of the likeliest one's probability are out


@dataclass(frozen=True)
class Job:
    """A prompt to continue by at most `limit` tokens; `noise` seeds what is drawn for it."""

    prompt: tuple[int, ...]
    limit: int
    temperature: float
    noise: int
    tag: object = None


Finish = Callable[[Job, list[int]], Job | None]  # what to do with an ended text; what to do next


@dataclass
class _Text:
    """A job at work in a slot."""

    job: Job
    draws: list[float]  # one a token, in (0, 1]
    ids: list[int] = field(default_factory=list)

    @property
    def n_cached(self) -> int:
        """Rows in the cache: all tokens but the newest."""
        return len(self.job.prompt) + len(self.ids) - 1


class Slots:
    """`n` slots of `capacity` rows each. `ends`: tokens that end a text."""

    def __init__(self, target: Target, n: int, capacity: int, ends: Iterable[int]) -> None:
        self.target, self.n, self.capacity, self.ends = target, n, capacity, frozenset(ends)
        self.one = target.new_cache(capacity)
        self.cache = SlotCache([layer.keys for layer in self.one.layers], n)
        self.texts: list[_Text] = []

    def run(self, jobs: Sequence[Job], finish: Finish) -> None:
        """Continue them all, longest prompt first, so that neighbours are of similar length."""
        queue = _Queue(jobs)
        while queue or self.texts:
            while queue and len(self.texts) < self.n:
                self._begin(queue.pop())
                self._collect(queue, finish)
            if self.texts:
                self._step()
                self._collect(queue, finish)

    def _begin(self, job: Job) -> None:
        """Put a job into the first free slot, with its first token."""
        self.one.length = 0
        prompt = torch.tensor(job.prompt, device=self.target.device)
        hidden = self.target.prefill(prompt, self.one, invariant=False).hidden[-1:]
        self.cache.copy_in(self.one, len(self.texts))
        draw = random.Random(job.noise).random
        text = _Text(job, [1 - draw() for _ in range(job.limit)])
        self.texts.append(text)
        text.ids += self._choose(hidden, [text])

    @torch.inference_mode()
    def _step(self) -> None:
        """One more token for every text."""
        device = self.target.device
        newest = torch.tensor([text.ids[-1] for text in self.texts], device=device)
        places = torch.tensor([text.n_cached for text in self.texts], device=device)
        self.cache.begin(places, [text.n_cached + 1 for text in self.texts])
        seen = torch.arange(self.cache.longest, device=device) <= places[:, None]
        mask = torch.zeros(seen.shape, dtype=self.target.dtype, device=device)
        with attending(self.target.decoder, self.cache.attend):
            hidden = self.target.decoder(
                input_ids=newest[:, None],
                attention_mask=mask.masked_fill_(~seen, -torch.inf)[:, None, None],
                position_ids=places[:, None],
                cache=self.cache,
                use_cache=True,
            ).last_hidden_state[:, 0]
        for text, token in zip(self.texts, self._choose(hidden, self.texts), strict=True):
            text.ids.append(token)

    def _choose(self, hidden: Tensor, texts: list[_Text]) -> list[int]:
        logits = self.target.logits(hidden)
        chosen = logits.max(-1).indices
        drawn = [n for n, text in enumerate(texts) if text.job.temperature > 0]
        if drawn:
            told = [(texts[n].job.temperature, texts[n].draws[len(texts[n].ids)]) for n in drawn]
            heats, draws = torch.tensor(told).to(logits.device).unbind(1)
            rows = torch.tensor(drawn).to(logits.device)
            chosen[rows] = sampled(logits[rows].float() / heats[:, None], draws)
        return host.read(chosen)

    def _collect(self, queue: "_Queue", finish: Finish) -> None:
        """Hand over the texts that have ended; the last slots move into the freed ones."""
        for slot in reversed(range(len(self.texts))):
            text = self.texts[slot]
            if text.ids[-1] not in self.ends and len(text.ids) < text.job.limit:
                continue
            last = self.texts.pop()
            if last is not text:
                self.texts[slot] = last
                self.cache.move(len(self.texts), slot, last.n_cached)
            following = finish(text.job, text.ids)
            if following is not None:
                queue.push(following)


class _Queue:
    """Jobs, longest prompt first; equal ones in the order they came."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.heap: list[tuple[int, int, Job]] = []
        self.count = 0
        for job in jobs:
            self.push(job)

    def push(self, job: Job) -> None:
        heapq.heappush(self.heap, (-len(job.prompt), self.count, job))
        self.count += 1

    def pop(self) -> Job:
        return heapq.heappop(self.heap)[-1]

    def __len__(self) -> int:
        return len(self.heap)


def sampled(logits: Tensor, draws: Tensor) -> Tensor:
    """A token of each row of logits [B, V], by the inverse of its distribution at draws [B].

    A draw is above 0, and 1 at most.
    """
    p = logits.softmax(-1)
    p = p.masked_fill(p < MIN_P * p.amax(-1, keepdim=True), 0.0)
    sums = p.cumsum(-1)
    return torch.searchsorted(sums, draws[:, None] * sums[:, -1:])[:, 0]
