"""One lane's run of one prompt, and the row of figures that it becomes."""

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.conversation import Conversation
from eagley_core.draft_figures import draft_figures
from eagley_core.errors import observed
from eagley_core.journal import Row
from eagley_core.lab import Lab, Prompt
from eagley_core.metrics import differing_tokens, first_difference
from eagley_core.peer_run import PeerRun, peer_fields
from eagley_core.peers import Peer
from eagley_core.results import is_approximate, run_fields
from eagley_core.trace import Trace

Lane = DecodeConfig | Peer
"""What runs a prompt: our engine with these settings, or another program."""


class Ran(NamedTuple):
    """A run, and the whole call from prompt to last token."""

    run: Trace | PeerRun
    at: float  # when it was asked for, seconds since 1970
    seconds: float


def limited(lane: Lane, max_new_tokens: int | None) -> Lane:
    """The lane with another limit; None: with its own."""
    if max_new_tokens is None:
        return lane
    if isinstance(lane, Peer):
        return replace(lane, config=limited(lane.config, max_new_tokens))
    return replace(lane, max_new_tokens=max_new_tokens)


def run_lane(lab: Lab, prompt: Prompt, lane: Lane, chat: Conversation | None = None) -> Ran:
    """Run, and then record: that is no part of the call."""
    at, started = time.time(), time.perf_counter()
    if isinstance(lane, Peer):
        run = lab.peers.run(lane, lab.ids(prompt))
        return Ran(run, at, time.perf_counter() - started)
    facts = list(lab.steps(prompt, lane, chat=chat))
    seconds = time.perf_counter() - started
    return Ran(lab.recorded(prompt, lane, facts), at, seconds)


def rows_of(
    lab: Lab, prompt: Prompt, repeat: int, lanes: Mapping[str, Lane], runs: Mapping[str, Ran]
) -> list[Row]:
    """A JSON-ready row per lane, but for `observed`."""
    vanilla = runs["vanilla"].run if "vanilla" in runs else None
    rows = []
    for name, lane in lanes.items():
        place = {
            "lane": name,
            "question_id": prompt.name,
            "category": prompt.category,
            "repeat": repeat,
        }
        if isinstance(lane, Peer):
            rows.append(place | _peer(lab, runs[name], vanilla))
        else:
            rows.append(place | _own(runs[name], vanilla) | draft_figures(lab.engine, lane))
    return rows


def _own(ran: Ran, vanilla: Trace | None) -> Row:
    trace = ran.run
    return {
        "engine": "eagley_core",
        **run_fields(trace),
        **_called(ran),
        **_compared(trace, vanilla),
        "environment": asdict(trace.environment),
        "observed": observed(trace) if is_approximate(trace.config) else None,
    }


def _peer(lab: Lab, ran: Ran, vanilla: Trace) -> Row:
    """A peer's samples are drawn by other random numbers: they are compared at temperature 0."""
    is_greedy = vanilla.config.temperature == 0
    return {
        "engine": "transformers",
        **dict.fromkeys(run_fields(vanilla)),
        **peer_fields(ran.run, vanilla),
        "text": lab.decode(ran.run.output_ids),
        **_called(ran),
        **_compared(ran.run, vanilla if is_greedy else None),
        "environment": asdict(vanilla.environment),
        "observed": None,
    }


def _called(ran: Ran) -> Row:
    speed = len(ran.run.output_ids) / ran.seconds
    return {"at": ran.at, "call_seconds": ran.seconds, "call_tokens_per_second": speed}


def _compared(run: Trace | PeerRun, reference: Trace | None) -> Row:
    if reference is None:
        return dict.fromkeys(("identical_to_vanilla", "difference", "differing_tokens"))
    difference = first_difference(run, reference)
    return {
        "identical_to_vanilla": difference is None,
        "difference": difference and difference._asdict(),
        "differing_tokens": differing_tokens(run, reference),
    }
