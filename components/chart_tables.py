"""The facts of the further charts as tables; `tables` has those of the first ones."""

from collections.abc import Iterable, Sequence
from typing import Final

import pandas as pd

from components.figures.delta import with_deltas
from components.figures.depth_rank import KEPT, by_depth_and_rank
from components.figures.estimate import results
from components.figures.inside import BANDS, columns_of, watched
from components.figures.reuse_flow import flows
from components.figures.where_time_went import PARTS, spent
from components.lane_labels import lane_labels
from components.marks import DRAWN
from components.selection import Comparison
from components.words import ENGLISH, Phrase, Words

MOST: Final = 4000  # rows of one table

TIME: Final = (
    Phrase("lane"),
    Phrase("phase"),
    Phrase("milliseconds"),
    Phrase("share"),
    Phrase("ms per token"),
)
RANKS: Final = (
    Phrase("lane"),
    Phrase("depth"),
    Phrase("choice"),
    Phrase("reached"),
    Phrase("accepted"),
    Phrase("share"),
)
FLOW: Final = (
    Phrase("lane"),
    Phrase("kept from step"),
    Phrase("used in step"),
    Phrase("source"),
    Phrase("row was rejected"),
    Phrase("accepted"),
    Phrase("nodes"),
)
ESTIMATE: Final = (
    Phrase("lane"),
    Phrase("step"),
    Phrase("expected tokens"),
    Phrase("tokens"),
    Phrase("expected ms"),
    Phrase("ms"),
)
ERRORS: Final = (
    Phrase("lane"),
    Phrase("of"),
    Phrase("layer"),
    Phrase("mean error"),
    Phrase("largest error"),
)
SIMILARITY: Final = (Phrase("lane"), Phrase("between"), Phrase("number"), Phrase("mean cosine"))
DELTA: Final = (
    Phrase("lane"),
    Phrase("layer"),
    Phrase("no Delta"),
    Phrase("Delta over the new tokens"),
    Phrase("exact Delta"),
)
AGE: Final = (
    Phrase("lane"),
    Phrase("age"),
    Phrase("predictions"),
    Phrase("mean KL, nats"),
    Phrase("likeliest token changed"),
    Phrase("mean error"),
)


def time_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and phase; the time per token is of the decode steps."""
    labels, rows = lane_labels(comparison, say), []
    for name, trace in comparison.lanes.items():
        own = spent(trace)
        for part in PARTS:
            each = own.per_token.get(part)
            share = own.parts[part] / own.total
            row = (labels[name], say(part), _rounded(1000 * own.parts[part], 2), _rounded(share))
            rows.append((*row, each and _rounded(1000 * each, 3)))
    return _table(TIME, rows, say)


def rank_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane, depth and the draft's choice."""
    labels = lane_labels(comparison, say)
    rows = (
        (
            labels[name],
            cell.depth,
            say("not drafted") if cell.rank == KEPT else str(cell.rank),
            ratio.tested,
            ratio.hits,
            _rounded(ratio.value),
        )
        for name, trace in comparison.lanes.items()
        for cell, ratio in by_depth_and_rank(trace).items()
    )
    return _table(RANKS, rows, say)


def flow_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per way that stored guesses took; the latest ones of a long run."""
    labels = lane_labels(comparison, say)
    rows = [
        (
            labels[name],
            flow.stored,
            flow.used,
            say(DRAWN[flow.kind.source].short),
            say("yes") if flow.kind.rejected else say("no"),
            say("yes") if flow.accepted else say("no"),
            count,
        )
        for name, trace in comparison.lanes.items()
        for flow, count in sorted(
            flows(trace).items(), key=lambda item: (item[0].used, item[0].stored)
        )
    ]
    return _table(FLOW, rows[-MOST:], say)


def estimate_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and step that the cost model decided."""
    labels = lane_labels(comparison, say)
    rows = [
        (
            labels[name],
            own.step,
            _rounded(own.expected_tokens, 2),
            own.tokens,
            _rounded(1000 * own.expected_seconds, 2),
            _rounded(1000 * own.seconds, 2),
        )
        for name, trace in comparison.lanes.items()
        for own in results(trace)
    ]
    return _table(ESTIMATE, rows, say)


def error_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane, kind and layer: means and maxima over the output's positions."""
    labels = lane_labels(comparison, say)
    rows = (
        (labels[name], say(words), layer, *(float(f"{value:.4g}") for value in columns_of(row)))
        for name, inside in watched(comparison).items()
        for field, words in BANDS.items()
        for layer, row in enumerate(getattr(inside, field))
    )
    return _table(ERRORS, rows, say)


def similarity_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and layer, and per lane and depth of its draft."""
    labels, rows = lane_labels(comparison, say), []
    for name, inside in watched(comparison).items():
        layers = say("before and after layer"), enumerate(inside.layer_similarity)
        depths = say("draft and target, depth"), enumerate(inside.draft_similarity, start=1)
        rows += [
            (labels[name], what, number, _rounded(value))
            for what, values in (layers, depths)
            for number, value in values
        ]
    return _table(SIMILARITY, rows, say)


def delta_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and layer that the draft's rows fit."""
    labels = lane_labels(comparison, say)
    rows = (
        (labels[name], own.layer, *(float(f"{e:.4g}") for e in (own.none, own.new, own.exact)))
        for name, deltas in with_deltas(comparison).items()
        for own in deltas
    )
    return _table(DELTA, rows, say)


def age_table(comparison: Comparison, say: Words = ENGLISH) -> pd.DataFrame:
    """One row per lane and age of the oldest stale row."""
    labels = lane_labels(comparison, say)
    rows = (
        (labels[name], own.age, own.count, _rounded(own.kl), own.flips, _rounded(own.error))
        for name, inside in watched(comparison).items()
        for own in inside.ages
    )
    return _table(AGE, rows, say)


def _table(names: Sequence[str], rows: Iterable[tuple], say: Words) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=[say(name) for name in names])


def _rounded(number: float | None, digits: int = 4) -> float | None:
    return None if number is None else round(number, digits)
