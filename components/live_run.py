"""A live run as the page tells it: lane after lane, each frame a plain value."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from components import theme
from components.live import Live, listen
from components.meter import reading
from components.selection import Comparison
from eagley_core.config import DecodeConfig, Method, TreeShape
from eagley_core.progress import Loading, Progress
from eagley_core.rule import Rule
from eagley_core.trace import Trace

USUAL = DecodeConfig().reuse  # EAGLEY's channels unless others are chosen
COUPLINGS = {"auto": None, "on": True, "off": False}
CHAIN = TreeShape("dynamic", 16, 16, 1)  # what the rule seed-literal walks
NAME_LENGTH = 48  # characters of the prompt
STEADY = 4  # tokens before a speed is worth showing


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

    @property
    def reuse(self) -> tuple[str, ...]:
        return (*self.channels, *self.more)

    def configs(self) -> dict[Method, DecodeConfig]:
        """Each lane's settings. Raises ValueError with one line on bad ones."""
        if not self.methods:
            raise ValueError("choose at least one lane")
        names = Counter(channel.partition(":")[0] for channel in self.reuse)
        for name in (name for name, count in names.items() if count > 1):
            raise ValueError(f"the channel {name} is chosen {names[name]} times")
        return {method: self._config(method) for method in self.methods}

    def _config(self, method: Method) -> DecodeConfig:
        rule = Rule.parse((self.rule or "exact").strip())
        return DecodeConfig(
            method=method,
            temperature=float(self.temperature or 0),
            seed=int(self.seed or 0),
            max_new_tokens=int(self.length or 0),
            rule=rule,
            tree=CHAIN if rule.name == "seed-literal" else TreeShape(),
            reuse=self.reuse,
            coupled=COUPLINGS[self.coupling],
        )


class Frame(NamedTuple):
    """What changed on the page."""

    meter: dict
    method: Method | None = None  # the lane that is running
    tokens: tuple[list, ...] = ()  # its tokens so far
    result: Comparison | None = None  # in the last frame: what the lanes gave


def frames(live: Live, settings: Settings, cancelled: Callable[[], bool]) -> Iterator[Frame]:
    """The run's frames. The last one holds every lane that gave output, also after an error."""
    traces: list[Trace] = []
    meter = reading("")
    try:
        configs = settings.configs()
        for number, (method, config) in enumerate(configs.items()):
            if cancelled():
                break
            stream = live.stream(settings.prompt, config, cancelled)
            for frame in _lane(live, stream, (method, config.max_new_tokens), traces):
                yield _overall(frame, number, len(configs))
                # The engine may be busy with somebody else: do not wait for it to hear the stop.
                if cancelled() and not frame.tokens:
                    break
        if cancelled():
            kept = "What was finished is below." if traces else "Nothing was finished yet."
            meter = reading(f"Stopped. {kept}")
    except (ValueError, RuntimeError, OSError, MemoryError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0]
        meter = reading(f"The run ended with an error: {line}", is_error=True)
    yield Frame(meter, result=_comparison(settings.prompt, traces))


def _lane(
    live: Live,
    stream: Iterator[Progress | Trace],
    lane: tuple[Method, int],
    traces: list[Trace],
) -> Iterator[Frame]:
    method, limit = lane
    tokens: list[list] = []
    latest, steps = None, 0
    for batch in listen(stream):
        for item in batch:
            if isinstance(item, Trace):
                traces += [item] if item.output_ids else []
                continue
            tokens += [[text, source, steps] for text, source in item.tokens]
            latest, steps = item, steps + 1
        meter = _speed(method, latest, limit) if latest else _waiting(method, live.progress())
        yield Frame(meter, method, tuple(tokens))


def _speed(method: Method, latest: Progress, limit: int) -> dict:
    text = f"{theme.LANE_LABELS[method]}: {latest.new_tokens} of at most {limit} tokens"
    if latest.new_tokens >= STEADY and latest.seconds > 0:
        text += f", {latest.new_tokens / latest.seconds:.1f} tokens/s, prefill included"
    return reading(text, min(latest.new_tokens / limit, 1.0))


def _waiting(method: Method, loading: Loading | None) -> dict:
    if loading is None:
        return reading(f"{theme.LANE_LABELS[method]}: waiting for the engine", 0.0)
    return reading(loading.text, loading.fraction)


def _overall(frame: Frame, number: int, count: int) -> Frame:
    """A lane's share becomes a share of all lanes; a download keeps its own."""
    share = frame.meter["fraction"]
    if share is None or not frame.tokens:
        return frame
    return frame._replace(meter=frame.meter | {"fraction": (number + share) / count})


def _comparison(prompt: str, traces: list[Trace]) -> Comparison | None:
    if not traces:
        return None
    words = " ".join(prompt.split()) or "empty prompt"
    name = words if len(words) <= NAME_LENGTH else words[: NAME_LENGTH - 1] + "…"
    return Comparison(name, tuple(traces))
