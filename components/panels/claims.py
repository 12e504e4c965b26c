"""The claims page: what the seed says, what was measured, and whether it holds.

`build(say)` inside a `gr.Tab` lays out everything. It depends on nothing that is selected.
"""

from pathlib import Path

import gradio as gr

from components.claims import claims, tally
from components.claims_card import ClaimCard, card
from components.claims_kinds import Claim
from components.claims_results import RESULTS, read_results
from components.facts import Facts, fact_list
from components.viewer import Viewer
from components.words import ENGLISH, Words


def build(say: Words = ENGLISH, folder: Path = RESULTS) -> None:
    """One card per claim, with its chart beside it."""
    found = claims(read_results(folder), say)
    intro = say(
        "The idea of EAGLEY comes from a text, here called the seed. Each of its statements stands "
        "beside what was measured with this program, on the small default model and two processor "
        "cores. The seed's numbers are marked as the seed's; all others come from the result file "
        "that is named beside them. Intervals are of 95 %."
    )
    Facts(fact_list(tally(found, say), (), intro), elem_id="claims", say=say)
    for claim in found:
        _claim(claim, say)


def _claim(claim: Claim, say: Words) -> None:
    with gr.Row(elem_classes="claim-row"):
        with gr.Column(scale=3, min_width=320):
            ClaimCard(card(claim, say), say=say)
        if claim.figure:
            with gr.Column(scale=2, min_width=320):
                Viewer(claim.figure, say=say)
