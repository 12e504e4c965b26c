"""The formulas as something to play with: sliders, curves, and what was measured."""

import json
from statistics import fmean, median
from typing import Any, ClassVar, Final, NamedTuple

from components import theme
from components.claims.results import Result, Row, plain_lane, runs, speed
from components.elements.element import Element
from components.elements.viewer import PLOTLY_URL
from components.figures.theory import MOST, Point, Setting, speed_figure, tokens_figure
from components.words import ENGLISH, Words

FALLBACK: Final = Setting(alpha=0.5, draft=0.1, row=0.02, beta=0.2)  # where nothing was measured
LANES: Final = ("eagle", "eagley")


class Theory(Element):
    """Value: `theory_value(…)`. The script evaluates `assets/formulas.js`, without the server."""

    template = (
        "<div class='theory'><dl class='formulas'></dl><div class='controls'></div>"
        "<p class='told' role='status'></p><div class='plots'><div class='plot' role='group'></div>"
        "<div class='plot' role='group'></div></div><p class='source'></p></div>"
    )
    script = "theory"
    defaults: ClassVar = {"twins": theme.DARK_TWINS, "source": PLOTLY_URL}


class Slider(NamedTuple):
    """One control: what it sets, and how it reads."""

    name: str
    label: str
    low: float
    high: float
    step: float


def sliders(say: Words = ENGLISH) -> tuple[Slider, ...]:
    """In the order of the page. `nodes` only chooses what is told in words."""
    return (
        Slider("alpha", say("α: chance that the draft's first guess is right"), 0.02, 0.98, 0.01),
        Slider("nodes", say("nodes (k of a chain)"), 1, MOST, 1),
        Slider("draft", say("c: a draft pass over a target pass"), 0, 1, 0.01),
        Slider("row", say("what each further row adds to a target pass"), 0, 0.2, 0.002),
        Slider("beta", say("β: the seed's saving of verification"), -0.5, 0.9, 0.01),
    )


def theory_value(bench: Result | None, say: Words = ENGLISH) -> dict[str, Any]:
    """What the element draws, JSON-ready."""
    at, points = measured_setting(bench), measured_points(bench)
    figures = (tokens_figure(at, points, say), speed_figure(at, points, say))
    return {
        "most": MOST,
        "start": at._asdict() | {"nodes": 8},
        "formulas": [list(row) for row in formulas(say)],
        "source": source(bench, say),
        "sliders": [slider._asdict() for slider in sliders(say)],
        "figures": [json.loads(figure.to_json()) for figure in figures],
    }


def formulas(say: Words = ENGLISH) -> tuple[tuple[str, str, str], ...]:
    """What each curve draws: its name, its formula, and a word on it."""
    return (
        (
            say("seed, standard (§3.3)"),
            "S = αk · T_single / (T_draft + T_verify)",
            say("αk counts the accepted draft tokens and leaves out the target's own next one."),
        ),
        (
            say("seed, EAGLEY (§3.3)"),
            "T_verify → T_verify · (1 − β(1 − α))",
            say("β is what reuse is said to save of a pass."),
        ),
        (
            say("chain (Leviathan)"),
            "E = (1 − α^(k+1)) / (1 − α),  S = E / (t(k+1) + k·c)",
            say("A chain ends at its first wrong token; k is its length."),
        ),
        (
            say("best tree (cost model)"),
            "E = 1 + Σ v,  v = α^depth · (1 − α)^rank,  S = E / (t(n+1) + d·c)",
            say("The n likeliest nodes are verified, d levels deep; the engine takes the best n."),
        ),
        (
            say("a pass of n rows"),
            "t(n) = 1 + row · (n − 1)",
            say("Times are shares of a target pass of one row."),
        ),
    )


def source(bench: Result | None, say: Words = ENGLISH) -> str:
    """Where marks and first settings come from."""
    if bench is None:
        return say("Nothing is shipped that measures this.")
    return say(
        "Marks: one per category of questions, from {file}: mean nodes and tokens, median "
        "speed-up. The sliders start where that file has them; β starts in the middle of the "
        "seed's range.",
        file=bench.name,
    )


def measured_setting(bench: Result | None) -> Setting:
    """Medians of EAGLE's runs; beta is the middle of the seed's range."""
    if bench is None:
        return FALLBACK
    own = [row for row in runs(bench.data, "eagle") if row["target_passes"]]
    first = [row["first_choice_acceptance"] for row in own]
    alpha = median(value for value in first if value is not None)
    draft = bench.data["methods"]["eagle"]["draft_latency_ratio"]
    return Setting(round(alpha, 2), round(draft, 2), round(_per_row(bench, own), 3), FALLBACK.beta)


def _per_row(bench: Result, own: list[Row]) -> float:
    """What a row adds to a pass of one row, of which vanilla's are."""
    single = 1 / median(filter(None, map(speed, runs(bench.data, plain_lane(bench.data)))))
    grown = [row["verify_seconds"] / row["target_passes"] / single - 1 for row in own]
    return max(0.0, median(more / _nodes(row) for more, row in zip(grown, own, strict=True)))


def _nodes(row: Row) -> float:
    return max(1.0, row["rows_verified"] / row["target_passes"] - 1)


def measured_points(bench: Result | None) -> list[Point]:
    """A point per lane and category."""
    if bench is None:
        return []
    categories = bench.data["by_category"]
    found = [_point(bench, lane, category) for lane in LANES for category in categories]
    return [point for point in found if point]


def _point(bench: Result, lane: str, category: str) -> Point | None:
    own = [row for row in runs(bench.data, lane) if row["category"] == category]
    own = [row for row in own if row["target_passes"] and row["mean_accepted_length"]]
    over = bench.data["by_category"][category]["speedup"].get(f"{lane}_vs_vanilla") or {}
    if not own or over.get("median") is None:
        return None
    tokens = fmean(row["mean_accepted_length"] for row in own)
    return Point(lane, category, fmean(map(_nodes, own)), tokens, over["median"])
