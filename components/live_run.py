"""A live run as the page tells it: lane after lane, each frame a plain value."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from components.elements.meter import reading
from components.live import Live, listen
from components.selection import Comparison, Lane
from components.words import ENGLISH, Phrase, Words
from eagley_core.config import DecodeConfig, Method, TreeShape
from eagley_core.progress import Loading, Progress
from eagley_core.rule import Rule
from eagley_core.trace import Trace

USUAL = DecodeConfig().reuse  # EAGLEY's channels unless others are chosen
COUPLINGS = {Phrase("auto"): None, Phrase("on"): True, Phrase("off"): False}
CHAIN = TreeShape("dynamic", 16, 16, 1)  # what the rule seed-literal walks
MOST_CHARACTERS = 20_000  # of a prompt
NAME_LENGTH = 48  # characters of the prompt
STEADY = 4  # tokens before a speed is worth showing
SECOND: Lane = "eagley-2"
NAMES = {
    "vanilla": Phrase("Vanilla"),
    "eagle": Phrase("EAGLE"),
    "eagley": Phrase("EAGLEY"),
    SECOND: Phrase("EAGLEY, second settings"),
}


class Settings(NamedTuple):
    """What the visitor chose, in the order of the page's inputs."""

    prompt: str
    methods: list[Method]
    temperature: float | None
    seed: float | None
    length: float | None
    rule: str = "exact"
    channels: Sequence[str] = USUAL
    more: Sequence[str] = ()
    coupling: str = "auto"
    has_second: bool = False  # EAGLEY once more, with the rule and channels that follow
    second_rule: str = "exact"
    second_channels: Sequence[str] = ()

    @property
    def reuse(self) -> tuple[str, ...]:
        return (*self.channels, *self.more)

    def configs(self) -> dict[Lane, DecodeConfig]:
        """Each lane's settings. Raises ValueError with one line on bad ones."""
        if not self.methods and not self.has_second:
            raise ValueError("choose at least one lane")
        if len(self.prompt) > MOST_CHARACTERS:
            raise ValueError(f"the prompt must have at most {MOST_CHARACTERS:,} characters")
        found = {method: self._config(method, self.rule, self.reuse) for method in self.methods}
        if self.has_second:
            found[SECOND] = self._config("eagley", self.second_rule, tuple(self.second_channels))
        return found

    def _config(self, method: Method, text: str | None, reuse: tuple[str, ...]) -> DecodeConfig:
        _check_once(reuse)
        rule = Rule.parse((text or "exact").strip())
        return DecodeConfig(
            method=method,
            temperature=float(self.temperature or 0),
            seed=int(self.seed or 0),
            max_new_tokens=int(self.length or 0),
            rule=rule,
            tree=CHAIN if rule.name == "seed-literal" else TreeShape(),
            reuse=reuse,
            coupled=COUPLINGS[self.coupling],
        )


def _check_once(reuse: tuple[str, ...]) -> None:
    names = Counter(channel.partition(":")[0] for channel in reuse)
    for name in (name for name, count in names.items() if count > 1):
        raise ValueError(f"the channel {name} is chosen {names[name]} times")


class Frame(NamedTuple):
    """What changed on the page."""

    meter: dict
    lane: Lane | None = None  # that is running
    tokens: tuple[list, ...] = ()  # its tokens so far
    result: Comparison | None = None  # in the last frame: what the lanes gave


def frames(
    live: Live, settings: Settings, cancelled: Callable[[], bool], say: Words = ENGLISH
) -> Iterator[Frame]:
    """The run's frames. The last one holds every lane that gave output, also after an error."""
    traces: dict[Lane, Trace] = {}
    meter = reading("")
    try:
        configs = settings.configs()
        for number, (lane, config) in enumerate(configs.items()):
            if cancelled():
                break
            stream = live.stream(settings.prompt, config, cancelled)
            for frame in _lane(live, stream, (lane, config.max_new_tokens), traces, say):
                yield _overall(frame, number, len(configs))
                # The engine may be busy with somebody else: do not wait for it to hear the stop.
                if cancelled() and not frame.tokens:
                    break
        if cancelled():
            meter = reading(_stopped(bool(traces), say))
    except (ValueError, RuntimeError, OSError, MemoryError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0]
        told = say("The run ended with an error: {line}", line=say(line))
        meter = reading(told, is_error=True)
    yield Frame(meter, result=_comparison(settings.prompt, traces, say))


def _stopped(has_some: bool, say: Words) -> str:
    if has_some:
        return say("Stopped. What was finished is below.")
    return say("Stopped. Nothing was finished yet.")


def _lane(
    live: Live,
    stream: Iterator[Progress | Trace],
    limits: tuple[Lane, int],
    traces: dict[Lane, Trace],
    say: Words,
) -> Iterator[Frame]:
    lane, limit = limits
    tokens: list[list] = []
    latest, steps = None, 0
    for batch in listen(stream):
        for item in batch:
            if isinstance(item, Trace):
                traces |= {lane: item} if item.output_ids else {}
                continue
            tokens += [[text, source, steps] for text, source in item.tokens]
            latest, steps = item, steps + 1
        waiting = latest is None
        meter = (
            _waiting(lane, live.progress(), say) if waiting else _speed(lane, latest, limit, say)
        )
        yield Frame(meter, lane, tuple(tokens))


def _speed(lane: Lane, latest: Progress, limit: int, say: Words) -> dict:
    told = {"lane": say(NAMES[lane]), "count": latest.new_tokens, "limit": limit}
    text = say("{lane}: {count} of at most {limit} tokens", **told)
    if latest.new_tokens >= STEADY and latest.seconds > 0:
        speed = f"{latest.new_tokens / latest.seconds:.1f}"
        text = say(
            "{lane}: {count} of at most {limit} tokens, {speed} tokens/s, prefill included",
            **told,
            speed=speed,
        )
    return reading(text, min(latest.new_tokens / limit, 1.0))


def _waiting(lane: Lane, loading: Loading | None, say: Words) -> dict:
    if loading is None:
        return reading(say("{lane}: waiting for the engine", lane=say(NAMES[lane])), 0.0)
    return reading(say(loading.text), loading.fraction)


def _overall(frame: Frame, number: int, count: int) -> Frame:
    """A lane's share becomes a share of all lanes; a download keeps its own."""
    share = frame.meter["fraction"]
    if share is None or not frame.tokens:
        return frame
    return frame._replace(meter=frame.meter | {"fraction": (number + share) / count})


def _comparison(prompt: str, traces: dict[Lane, Trace], say: Words) -> Comparison | None:
    if not traces:
        return None
    words = " ".join(prompt.split()) or say("empty prompt")
    name = words if len(words) <= NAME_LENGTH else words[: NAME_LENGTH - 1] + "…"
    return Comparison(name, tuple(traces.values()))
