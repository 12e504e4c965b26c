"""Several methods over the same prompts, interleaved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from eagley_core.bench_result import PLAIN, result_of
from eagley_core.bench_rows import Lane, Ran, limited, rows_of, run_lane
from eagley_core.conversation import Conversation
from eagley_core.journal import Journal, Row
from eagley_core.lab import Lab, Prompt
from eagley_core.peers import Peer
from eagley_core.prompt_file import PromptLine
from eagley_core.trace import Trace

WARM_UP_TOKENS = 8


@dataclass(frozen=True)
class Plan:
    """What to run: lanes by name, in the order in which every prompt meets them.

    warm: a lane's store and calibration go on from prompt to prompt, and start anew with a repeat.
    Lanes of other programs are compared with vanilla, which must be among the lanes then.
    """

    lanes: Mapping[str, Lane]
    repeats: int = 1
    warm: bool = False

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, got {self.repeats}")
        if "vanilla" not in self.lanes and any(isinstance(v, Peer) for v in self.lanes.values()):
            raise ValueError("peers are compared with vanilla: it must be among the methods")


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
    traces: dict[str, Trace]  # by lane of ours
    chats: Chats
    runs: dict[str, Ran]  # by lane, other programs' too


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


def every_lane(lab: Lab, lanes: Mapping[str, Lane]) -> dict[str, Lane]:
    """The lanes, and plain vanilla where that is another than vanilla."""
    if "vanilla" in lanes and lab.engine.is_invariant(lanes["vanilla"]):
        return {**lanes, PLAIN: replace(lanes["vanilla"], numerics="fast")}
    return dict(lanes)


def warm_up(lab: Lab, lanes: Mapping[str, Lane], line: PromptLine) -> None:
    """Some tokens in every lane, so that no first pass is timed."""
    for config in lanes.values():
        run_lane(lab, Prompt(line.text), limited(config, WARM_UP_TOKENS))


def _chats(
    lab: Lab, items: Sequence[Item], lanes: Mapping[str, Lane], warm: bool
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
    lab: Lab, item: Item, lanes: Mapping[str, Lane], chats: Chats, done: Done
) -> list[Row]:
    """The rows of one prompt, one per turn and lane."""
    rows: list[Row] = []
    for turn in _talk(lab, item.line, lanes, chats):
        rows += rows_of(lab, turn.prompt, item.repeat, lanes, turn.runs)
        done(turn)
    return rows


def _talk(lab: Lab, line: PromptLine, lanes: Mapping[str, Lane], chats: Chats) -> Iterator[Turn]:
    """Every turn of a prompt."""
    history: tuple[str, ...] = ()
    for text in line.turns:
        prompt = Prompt(text, line.question_id, line.category, history=history)
        runs = {
            name: run_lane(lab, prompt, limited(lane, line.max_new_tokens), chats[name])
            for name, lane in lanes.items()
        }
        traces = {name: ran.run for name, ran in runs.items() if isinstance(ran.run, Trace)}
        yield Turn(prompt, traces, chats, runs)
        history += (text, next(iter(traces.values())).text)
