"""How likely a candidate is to be accepted before this run has shown anything: a fitted guess.

One logistic curve per family of evidence. Its inputs are what the draft and the store say, as
log-odds, and the depth. Fitted by `calibrate` on runs of other prompts, and kept beside a head.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = "prior.json"
FORMAT = "eagley-prior"
STIFFNESS = 4.0  # how many observations a family's start is worth
ROUNDS = 30  # of Newton's method; it settles within ten
SMALLEST = 1e-9  # a step below it changes no digit that is kept
DEEPEST, SUREST = 4, 1e-4


class Evidence(NamedTuple):
    """What is known of a candidate whose parent is accepted."""

    depth: int
    draft: float | None  # the probability that the draft ranks it by; None: it did not name it
    is_drafted: bool  # the draft was run at the parent
    kind: str  # of the other source that knows this place, with its context; "" for none
    stored: float | None  # that source's probability; None: it did not name the token
    is_coupled: bool = False

    @property
    def family(self) -> str:
        """Evidence of one family shares a curve."""
        draft = "drafted" if self.draft is not None else "undrafted" if self.is_drafted else "open"
        return _family(draft, self.kind, self.stored is not None, self.is_coupled)

    @property
    def inputs(self) -> tuple[float, float, float, float]:
        return 1.0, _log_odds(self.draft), _log_odds(self.stored), min(self.depth, DEEPEST) - 1.0


@cache
def _family(draft: str, kind: str, is_named: bool, is_coupled: bool) -> str:
    stored = f"{'' if is_named else 'not '}{kind}" if kind else "alone"
    return f"{draft} {stored}{' coupled' if is_coupled else ''}"


def _log_odds(probability: float | None) -> float:
    if probability is None:
        return 0.0
    probability = min(max(probability, SUREST), 1 - SUREST)
    return math.log(probability / (1 - probability))


Curves = Mapping[str, Sequence[float]]
"""Of each family: constant, weight of the draft's log-odds, of the store's, of the depth."""


def _start(evidence: Evidence) -> tuple[float, float, float, float]:
    """A family's curve before it was fitted: what is named twice is likely, what is not, is not."""
    if evidence.draft is not None:
        lone = evidence.stored is None
        return (0.0, 1.0, 0.0, -0.1) if lone else (0.3, 0.7, 0.4, 0.0)
    return (-2.0, 0.0, 0.5, 0.0) if evidence.is_drafted else (-0.5, 0.0, 0.7, 0.0)


class Prior:
    """The curves of every family; one that was not fitted has its start."""

    def __init__(self, curves: Curves | None = None) -> None:
        self.curves = dict(curves or {})

    def probability(self, evidence: Evidence) -> float:
        constant, draft, stored, deep = self.curves.get(evidence.family) or _start(evidence)
        _, named, kept, depth = evidence.inputs
        score = constant + draft * named + stored * kept + deep * depth
        return 1 / (1 + math.exp(-max(-12.0, min(12.0, score))))


Outcome = tuple[Evidence, bool]


def fit(outcomes: Iterable[Outcome]) -> Prior:
    """Maximum a posteriori curves: ridge-penalised logistic regression towards the start."""
    families: dict[str, list[Outcome]] = defaultdict(list)
    for evidence, accepted in outcomes:
        families[evidence.family].append((evidence, accepted))
    return Prior({family: _curve(rows) for family, rows in sorted(families.items())})


def _curve(rows: Sequence[Outcome]) -> tuple[float, ...]:
    """Newton's method; a step is halved until it improves the fit."""
    x = np.array([evidence.inputs for evidence, _ in rows])
    y = np.array([float(accepted) for _, accepted in rows])
    start = np.array(_start(rows[0][0]))

    def badness(weights: np.ndarray) -> float:
        """Negative log-likelihood with the pull towards the start."""
        scores = x @ weights
        away = weights - start
        return float((np.logaddexp(0, scores) - y * scores).sum() + STIFFNESS / 2 * away @ away)

    weights = start.copy()
    for _ in range(ROUNDS):
        p = np.exp(-np.logaddexp(0, -(x @ weights)))
        slope = x.T @ (p - y) + STIFFNESS * (weights - start)
        bend = (x.T * (p * (1 - p))) @ x + STIFFNESS * np.eye(len(start))
        step = np.linalg.solve(bend, slope)
        while badness(weights - step) > badness(weights) and np.abs(step).max() > SMALLEST:
            step = step / 2
        weights = weights - step
    return tuple(round(float(w), 4) for w in weights)


def save_prior(prior: Prior, path: Path, told: Mapping[str, object]) -> None:
    """told: where the curves come from."""
    document = {"format": FORMAT, **told, "curves": prior.curves}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def load_prior(path: Path) -> Prior:
    """Read what `save_prior` wrote. Raises ValueError that names the file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}")
        curves = {str(k): tuple(map(float, v)) for k, v in document["curves"].items()}
        if any(len(curve) != 4 for curve in curves.values()):
            raise ValueError("a curve has not four weights")
        return Prior(curves)
    except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} holds no prior: {error}") from error
