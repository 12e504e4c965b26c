"""The report's page: one HTML file with everything in it."""

from collections.abc import Iterator, Sequence
from html import escape

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from components import theme
from components.figures.results import by_category, drift, paired
from components.report import tables
from components.report.made import setup_table
from components.report.result import Result, pair_label
from components.report.seed import accuracy_table, length_table

CATEGORY_PAIRS = ("eagley_vs_vanilla", "eagley_vs_eagle")
TITLE = "EAGLEY: measured results"
STYLE = f"""
:root {{ color-scheme: light; }}
body {{ font: 15px/1.5 {theme.FONT}; color: {theme.colour("ink")};
  background: {theme.colour("paper")}; max-width: 1120px; margin: 0 auto;
  padding: 24px 20px 64px; }}
h1 {{ font-size: 26px; margin: 0 0 4px; }}
h2 {{ font-size: 18px; margin: 40px 0 8px; }}
p {{ max-width: 75ch; margin: 4px 0; }}
.note, figcaption, .lead {{ color: {theme.colour("muted")}; font-size: 13px; }}
figure {{ margin: 8px 0 16px; }}
figcaption {{ margin-bottom: 4px; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: 4px 14px 4px 0;
  border-bottom: 1px solid {theme.colour("grid")}; overflow-wrap: anywhere; min-width: 8ch; }}
.figure {{ white-space: nowrap; }}
th {{ font-weight: 600; color: {theme.colour("muted")}; }}
"""


def page(results: Sequence[Result]) -> str:
    """HTML that asks no network for anything. Text of results is escaped."""
    parts = "\n".join(_parts(results))
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{TITLE}</title><style>{STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head><body>{parts}</body></html>\n"
    )


def _parts(results: Sequence[Result]) -> Iterator[str]:
    yield f"<h1>{TITLE}</h1><p class='lead'>{escape(_lead(results))}</p>"
    yield setup_table(results).html
    yield "<h2>Methods</h2>" + tables.method_table(results).html
    yield "<h2>Side by side, prompt by prompt</h2>" + _drawn(paired(results))
    yield tables.ratio_table(results).html
    for pair in CATEGORY_PAIRS:
        if any(pair in result.document["speedup"] for result in results):
            yield f"<h2>{escape(pair_label(pair))}, by category</h2>"
            yield _drawn(by_category(results, pair)) + tables.category_table(results, pair).html
    yield "<h2>Equality</h2>" + tables.equality_table(results).html
    yield "<h2>Drift</h2>" + _drawn(drift(results)) + tables.drift_table(results).html
    yield "<h2>Beside the seed’s tables</h2>"
    yield (
        "<p>The numbers marked as the seed’s stand in the document that this project began from, "
        "with other models and without a source or an interval.</p>"
    )
    yield accuracy_table(results).html + length_table(results).html


def _lead(results: Sequence[Result]) -> str:
    names = ", ".join(result.name for result in results)
    return (
        f"{len(results)} result file{'s' if len(results) > 1 else ''}: {names}. Every ratio is of "
        "two methods on the same prompt in the same run; its median is given with the 95 % "
        "interval of a bootstrap over prompts."
    )


def _drawn(figure: go.Figure) -> str:
    alt = escape(figure.layout.meta["alt"], quote=True)
    config = {"displaylogo": False, "responsive": True}
    drawn = figure.to_html(full_html=False, include_plotlyjs=False, config=config)
    return f"<figure role='img' aria-label='{alt}'>{drawn}</figure>"
