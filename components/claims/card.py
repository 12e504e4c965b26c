"""All claims as one element: cards with their charts."""

import json
from typing import Any, ClassVar

from components import theme
from components.claims.kinds import Claim, Table
from components.claims.results import Result, Results
from components.claims.rulings import VERDICTS
from components.claims.statements import claims, tally
from components.elements.element import Element
from components.elements.viewer import PLOTLY_URL
from components.words import ENGLISH, Phrase, Words

INTRO = Phrase(
    "The idea of EAGLEY comes from a text, here called the seed. Each of its statements stands "
    "beside what was measured with this program. The seed's numbers are marked as the seed's; all "
    "others come from the result file that is named beside them. Intervals are of 95 %."
)
MACHINE = Phrase(
    "Speeds are of {target} on {processor}, {dtype}, {threads} threads; larger models on other "
    "machines may well answer otherwise."
)


class ClaimCards(Element):
    """Value: `cards(claims)`. It depends on nothing that is selected."""

    template = "<div class='claims'></div>"
    script = "claims"
    defaults: ClassVar = {"twins": theme.DARK_TWINS, "source": PLOTLY_URL}


def cards(results: Results, say: Words = ENGLISH) -> dict[str, Any]:
    """What the element draws, JSON-ready. It holds no text of a model."""
    found = claims(results, say)
    return {
        "title": tally(found, say),
        "notes": [say(INTRO), *machine(results.bench, say)],
        "claims": [card(claim, say) for claim in found],
    }


def machine(bench: Result | None, say: Words = ENGLISH) -> list[str]:
    """What the speeds depend on; nothing where none were measured."""
    if bench is None:
        return []
    made = bench.data["environment"]
    facts = {name: made[name] for name in ("processor", "dtype", "threads")}
    return [say(MACHINE, target=bench.data["rows"][0]["target"], **facts)]


def card(claim: Claim, say: Words = ENGLISH) -> dict[str, Any]:
    """Everything that is said of a claim, and its chart."""
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
        "figure": json.loads(claim.figure.to_json()) if claim.figure else None,
    }


def _table(table: Table) -> dict[str, Any]:
    rows = [list(row) for row in table.rows]
    columns, sources = list(table.columns), list(table.sources)
    return {"title": table.title, "columns": columns, "rows": rows, "sources": sources}
