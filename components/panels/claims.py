"""The claims page: what the seed says, what was measured, and whether it holds.

`build(say)` inside a `gr.Tab` lays out everything. It depends on nothing that is selected.
"""

from pathlib import Path

from components.claims.card import ClaimCards, cards
from components.claims.results import RESULTS, read_results
from components.words import ENGLISH, Words


def build(say: Words = ENGLISH, folder: Path = RESULTS) -> None:
    """One card per claim, with its chart beside it."""
    ClaimCards(cards(read_results(folder), say), elem_id="claims", say=say)
