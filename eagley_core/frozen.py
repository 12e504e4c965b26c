"""Costs and calibration in a file, so that runs on different machines decide alike."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from eagley_core.calibration import Calibration, Count
from eagley_core.costs import Costs, costs_of

FORMAT = "eagley-frozen"


class Frozen(NamedTuple):
    """What a run decides by, instead of measuring and learning."""

    costs: Costs
    counts: Sequence[Count]


def save_frozen(path: str | Path, costs: Costs, calibration: Calibration) -> None:
    document = {"format": FORMAT, "costs": asdict(costs), "counts": calibration.counts()}
    Path(path).write_text(json.dumps(document) + "\n", encoding="utf-8")


def load_frozen(path: str | Path) -> Frozen:
    """Read what `save_frozen` wrote. Raises ValueError that names the file."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}")
        counts = [(tuple(cell), float(hits), float(n)) for cell, hits, n in document["counts"]]
        return Frozen(costs_of(document["costs"]), counts)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no frozen costs and calibration: {error}") from error
