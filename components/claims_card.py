"""One claim as the page shows it."""

from components.claims_kinds import Claim, Table
from components.claims_rulings import VERDICTS
from components.element import Element
from components.words import ENGLISH, Words


class ClaimCard(Element):
    """Value: `card(claim)`."""

    template = "<article class='claim'></article>"
    script = "claim"


def card(claim: Claim, say: Words = ENGLISH) -> dict:
    """Everything that is said of a claim, JSON-ready. It holds no text of a model."""
    return {
        "key": claim.key,
        "section": claim.section,
        "title": claim.title,
        "verdict": claim.ruling.verdict,
        "badge": say(VERDICTS[claim.ruling.verdict]),
        "seed": claim.seed,
        "findings": [list(finding) for finding in claim.findings],
        "rule": claim.ruling.words,
        "note": claim.note,
        "command": claim.command,
        "sources": list(claim.sources),
        "table": _table(claim.table) if claim.table else None,
    }


def _table(table: Table) -> dict:
    return {
        "title": table.title,
        "columns": list(table.columns),
        "rows": list(map(list, table.rows)),
    }
