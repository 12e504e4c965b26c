"""Figures at the places of a sweep."""

from typing import Any

from components.claims.kinds import number, read_interval
from components.claims.results import Result
from components.words import ENGLISH, Words


def gain_at(sweep: Result | None, at: dict[str, Any], lane: str, say: Words = ENGLISH) -> str:
    """A lane's speed over vanilla at a place; a dash where it was not measured."""
    points = sweep.data["points"] if sweep else []
    found = [point["speedup"].get(f"{lane}_vs_vanilla") for point in points if point["at"] == at]
    return number(read_interval(found[0] if found else None), say) or "–"
