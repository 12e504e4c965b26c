"""The theory page: the formulas, and curves that follow sliders in the browser.

`build(say)` inside a `gr.Tab` lays out everything. It depends on nothing that is selected.
"""

from pathlib import Path

from components.claims.results import RESULTS, read_results
from components.theory import Theory, theory_value
from components.words import ENGLISH, Words


def build(say: Words = ENGLISH, folder: Path = RESULTS) -> None:
    """Formulas, sliders and curves are one element."""
    Theory(theory_value(read_results(folder).bench, say), elem_id="theory", say=say)
