"""Several methods over the same prompts, interleaved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from eagley_core.bench_result import PLAIN, result_of
from eagley_core.config import DecodeConfig
from eagley_core.conversation import Conversation
from eagley_core.draft_figures import draft_figures
from eagley_core.errors import observed
from eagley_core.journal import Journal, Row
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import differing_tokens, first_difference
from eagley_core.prompt_file import PromptLine
from eagley_core.results import is_approximate, run_fields
from eagley_core.trace import Trace

WARM_UP_TOKENS = 8


@dataclass(frozen=True)
class Plan:
    """What to run: lanes by name, in the order in which every prompt meets them.

    warm: a lane's store and calibration go on from prompt to prompt, and start anew with a repeat.
    """

    lanes: Mapping[str, DecodeConfig]
    repeats: int = 1
    warm: bool = False

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, got {self.repeats}")


Chats = dict[str, Conversation]


class Item(NamedTuple):
    """One prompt in one repeat: all lanes run it in turn on one machine, so that times compare."""

    repeat: int
    index: int  # of the prompt
    line: PromptLine
    part: str = ""  # of a sweep

    @property
    def key(self) -> str:
        """Its name within its plan."""
        return f"{self.part}{self.repeat}.{self.index}"


class Turn(NamedTuple):
    """One turn of one prompt, run by every lane."""

    prompt: Prompt
    traces: dict[str, Trace]  # by lane
    chats: Chats


Done = Callable[[Turn], None]
"""Told after every turn."""


def bench(
    lab: Lab, lines: Sequence[PromptLine], plan: Plan, done: Done, journal: Journal | None = None
) -> Row:
    """Run every lane on every turn of every prompt, A B C A B C …, and compare them in pairs.

    A later turn follows the first lane's answer in every lane. Where vanilla is row-invariant a
    lane of plain vanilla is added, so that speed-ups are against the faster of the two. Items that
    the journal holds are taken from there.
    """
    journal = Journal() if journal is None else journal
    items, lanes = items_of(lines, plan.repeats), every_lane(lab, plan.lanes)
    left = [item for item in items if item.key not in journal]
    if left:
        warm_up(lab, lanes, left[0].line)
    for item, chats in zip(left, _chats(lab, left, lanes, plan.warm), strict=True):
        journal.add(item.key, run_item(lab, item, lanes, chats, done))
    return result_of([row for item in items for row in journal.rows(item.key)])


def items_of(lines: Sequence[PromptLine], repeats: int) -> list[Item]:
    """Every prompt in every repeat."""
    return [Item(repeat, i, line) for repeat in range(repeats) for i, line in enumerate(lines)]


def every_lane(lab: Lab, lanes: Mapping[str, DecodeConfig]) -> dict[str, DecodeConfig]:
    """The lanes, and plain vanilla where that is another than vanilla."""
    if "vanilla" in lanes and lab.engine.is_invariant(lanes["vanilla"]):
        return {**lanes, PLAIN: replace(lanes["vanilla"], numerics="fast")}
    return dict(lanes)


def warm_up(lab: Lab, lanes: Mapping[str, DecodeConfig], line: PromptLine) -> None:
    """Some tokens in every lane, so that no first pass is timed."""
    for config in lanes.values():
        lab.ran(Prompt(line.text), replace(config, max_new_tokens=WARM_UP_TOKENS))


def _chats(
    lab: Lab, items: Sequence[Item], lanes: Mapping[str, DecodeConfig], warm: bool
) -> Iterator[Chats]:
    """Of every item: new conversations, or where warm what the repeat's last ones have learnt."""
    chats: Chats = {}
    for before, item in zip((None, *items), items, strict=False):
        if warm and before and before.repeat == item.repeat:
            chats = {name: chat.another() for name, chat in chats.items()}
        else:
            chats = {name: lab.engine.conversation() for name in lanes}
        yield chats


def run_item(
    lab: Lab, item: Item, lanes: Mapping[str, DecodeConfig], chats: Chats, done: Done
) -> list[Row]:
    """The rows of one prompt, one per turn and lane."""
    rows: list[Row] = []
    for turn in _talk(lab, item.line, lanes, chats):
        for name, config in lanes.items():
            row = _row(turn.prompt, item.repeat, name, turn.traces)
            rows.append(row | draft_figures(lab.engine, config))
        done(turn)
    return rows


def _talk(
    lab: Lab, line: PromptLine, lanes: Mapping[str, DecodeConfig], chats: Chats
) -> Iterator[Turn]:
    """Every turn of a prompt."""
    history: tuple[str, ...] = ()
    for text in line.turns:
        prompt = Prompt(text, line.question_id, line.category, history=history)
        traces = {name: lab.ran(prompt, config, chats[name]) for name, config in lanes.items()}
        yield Turn(prompt, traces, chats)
        history += (text, next(iter(traces.values())).text)


def _row(prompt: Prompt, repeat: int, name: str, traces: dict[str, Trace]) -> Row:
    trace, reference = traces[name], traces.get("vanilla")
    difference = first_difference(trace, reference) if reference else None
    return {
        "lane": name,
        "question_id": prompt.name,
        "category": prompt.category,
        "repeat": repeat,
        **run_fields(trace),
        "identical_to_vanilla": None if reference is None else difference is None,
        "difference": difference and difference._asdict(),
        "differing_tokens": reference and differing_tokens(trace, reference),
        "environment": asdict(trace.environment),
        "observed": observed(trace) if is_approximate(trace.config) else None,
    }
