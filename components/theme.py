"""Every colour, mark and font of the page's figures.

Figures are drawn in the light palette; the viewer swaps each colour for its twin in `DARK_TWINS`
when the page is dark. Hues are Okabe and Ito's, which colour-blind readers can tell apart, and
nothing is said by colour alone: verdicts also have a symbol and a letter, phases a pattern, and
sources and provenances what `marks` gives them.
"""

from typing import Final

from components.words import Phrase

LIGHT: Final = {
    "ink": "#1b2027",
    "muted": "#626b76",
    "grid": "#e3e6ea",
    "paper": "#fdfdfe",
    "on_fill": "#ffffff",
    "on_hue": "#1c2128",
    "draft": "#0072b2",
    "draft_pale": "#cfe4f2",
    "recycled": "#009e73",
    "recycled_pale": "#cdebe1",
    "suffix": "#b0568a",
    "suffix_pale": "#f1d9e7",
    "ngram": "#3c424a",
    "ngram_pale": "#d9dce0",
    "draft-state": "#3f9fd6",
    "draft-state_pale": "#dcf0fb",
    "stale": "#968b00",
    "stale_pale": "#f2efc0",
    "bonus": "#e69f00",
    "rejected": "#d55e00",
    "rejected_pale": "#f8dcc8",
    "untested": "#868e98",
    "untested_pale": "#eceef1",
    "edge": "#b4bac2",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "yellow": "#f0e442",
    "grey": "#a3aab3",
    "ring": "#111418",
}
DARK: Final = {
    "ink": "#e8eaed",
    "muted": "#9ba4ae",
    "grid": "#2b3138",
    "paper": "#14171b",
    "on_fill": "#0d0f12",
    "on_hue": "#0e1013",
    "draft": "#4aa8e0",
    "draft_pale": "#1c3a4f",
    "recycled": "#2fc79c",
    "recycled_pale": "#17463a",
    "suffix": "#e8a3cb",
    "suffix_pale": "#4b2f40",
    "ngram": "#c9ced4",
    "ngram_pale": "#33393f",
    "draft-state": "#a4daf7",
    "draft-state_pale": "#24485c",
    "stale": "#ddd45a",
    "stale_pale": "#45411a",
    "bonus": "#f2b233",
    "rejected": "#f0813a",
    "rejected_pale": "#512e19",
    "untested": "#8a939d",
    "untested_pale": "#262b31",
    "edge": "#59626c",
    "sky": "#7cc8f2",
    "purple": "#dd95bd",
    "yellow": "#f4ea6e",
    "grey": "#7d868f",
    "ring": "#fafbfc",
}
DARK_TWINS: Final = {LIGHT[role]: DARK[role] for role in LIGHT}

FONT: Final = "Inter, ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
MONO: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

SYMBOLS: Final = {"accepted": "circle", "rejected": "square", "untested": "diamond"}
LETTERS: Final = {"accepted": "A", "rejected": "R", "untested": "U"}
LANE_DASHES: Final = {"vanilla": "dot", "eagle": "dash", "eagley": "solid"}
LANE_COLOURS: Final = {"vanilla": "muted", "eagle": "purple", "eagley": "draft"}
LANE_LABELS: Final = {"vanilla": Phrase("Vanilla"), "eagle": "EAGLE", "eagley": "EAGLEY"}
PHASES: Final = {  # colour role and fill pattern
    Phrase("draft"): ("sky", "/"),
    Phrase("verify"): ("purple", ""),
    Phrase("accept"): ("yellow", "x"),
    Phrase("commit"): ("grey", "."),
}


def colour(role: str) -> str:
    return LIGHT[role]


def layout(alt: str, **more) -> dict:
    """What all figures share. `alt` describes the figure to those who cannot see it."""
    base = {
        "template": "none",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": colour("ink")},
        "margin": {"l": 56, "r": 16, "t": 36, "b": 44},
        "hoverlabel": {
            "bgcolor": colour("paper"),
            "bordercolor": colour("edge"),
            "align": "left",
            "font": {"family": FONT, "size": 12, "color": colour("ink")},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "font": {"size": 11, "color": colour("muted")},
        },
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": colour("untested"),
            "activecolor": colour("ink"),
        },
        "meta": {"alt": alt},
    }
    return base | more


def axis(title: str | None = None, **more) -> dict:
    """A quiet axis: hairline grid, no frame."""
    base = {
        "gridcolor": colour("grid"),
        "linecolor": colour("grid"),
        "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 11, "color": colour("muted")},
    }
    if title:
        base["title"] = {"text": title, "font": {"size": 11, "color": colour("muted")}}
    return base | more
