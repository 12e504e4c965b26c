"""A comparison as one HTML file that needs neither the app nor the network."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template
from typing import Final

from components.charts import SIDES
from components.charts import Chart as Drawing
from components.claims.results import read_results
from components.elements.card import Card
from components.elements.chart import Chart
from components.elements.copylink import CopyLink
from components.elements.element import SHARED, asset, enclosed
from components.elements.facts import Facts
from components.elements.help import Help
from components.elements.navigator import Navigator
from components.elements.table import Table
from components.elements.tokens import Tokens, token_list
from components.elements.tour import Tour
from components.elements.tree import Tree
from components.lane_labels import lane_labels
from components.legend import source_legend, tree_legend
from components.look import stylesheet, variables
from components.marks import in_text, in_trees
from components.outcome import hardware
from components.panels.lanes import figure_list, settings_of
from components.panels.opening import description
from components.selection import Comparison
from components.static_data import Elements, data_blocks
from components.theory import Theory, theory_value
from components.view import view
from components.words import ENGLISH, Phrase, Words

KINDS: Final = (Card, Chart, CopyLink, Facts, Help, Navigator, Table, Theory, Tokens, Tour, Tree)
TAGLINE: Final = Phrase(
    "One prompt, decoded side by side. Step through the runs with the arrow keys; press ? for all "
    "keys."
)
NO_SCRIPT: Final = Phrase("This page needs a browser of 2023 or later, with JavaScript.")


def static_page(comparison: Comparison, charts: Mapping[str, Drawing], say: Words = ENGLISH) -> str:
    """The page's text. It has the comparison's view, every step and these charts inside."""
    put = Elements(say)
    parts = {
        "language": say.language,
        "title": escape(f"{say(comparison.name)} – EAGLEY Explorer"),
        "heading": escape(say(comparison.name)),
        "tagline": say(TAGLINE),
        "noscript": say(NO_SCRIPT),
        "theme": say("Light or dark"),
        "legend": source_legend(in_text(comparison.traces), say),
        "tree_legend": tree_legend(in_trees(comparison.traces), say),
        "copylink": put(Tour) + put(CopyLink),
        "about": f'<div id="about">{put(Facts, description(comparison, say))}</div>',
        "lanes": _lanes(comparison, put, say),
        "navigator": put(Navigator, view(comparison, say)),
        "trees": _trees(comparison, put, say),
        "tabs": _tabs(charts.values(), put, say),
        "help": put(Help),
    }
    blocks = data_blocks(comparison, charts, put.placed, say)
    return Template(asset("static.html")).substitute(parts, blocks=blocks, **_code())


def _code() -> dict[str, str]:
    """Styles and scripts: those of the app, and what stands in for Gradio."""
    own = "\n".join(f".el-{kind.script} {{\n{asset(f'{kind.script}.css')}\n}}" for kind in KINDS)
    rules = (variables(), stylesheet(), asset("shared.css"), asset("static.css"), own)
    given = "(element, props, trigger, watch, server)"  # as Gradio gives them
    functions = (f"{kind.script}{given} {{\n{asset(f'{kind.script}.js')}\n}}" for kind in KINDS)
    return {
        "styles": "\n".join(rules),
        "shared": "\n".join(map(enclosed, SHARED)),
        "elements": ",\n".join(functions),
        "start": enclosed("static"),
    }


def _lanes(comparison: Comparison, put: Elements, say: Words) -> str:
    labels = lane_labels(comparison, say)
    fold = say("All numbers")
    return "".join(
        f'<section class="lane" id="lane-{escape(name)}">'
        f'<div class="lane-head"><h2>{escape(labels[name])}</h2>'
        f'<p class="how">{escape(settings_of(trace.config, say))}</p>'
        f'<p class="how">{escape(hardware(trace, say))}</p></div>'
        f"{put(Tokens, token_list(trace), method=name, label=labels[name])}"
        f"{put(Facts, figure_list(comparison, name, say), fold=fold)}</section>"
        for name, trace in comparison.lanes.items()
    )


def _trees(comparison: Comparison, put: Elements, say: Words) -> str:
    label = say("Nodes as a table")
    sides = (side for side, lane in enumerate(comparison.trees) if lane is not None)
    trees = (
        f'<div class="tree" id="tree-{side}">{put(Tree, side=side)}'
        f"{put(Table, side=side, label=label)}</div>"
        for side in sides
    )
    return "".join(trees) + f'<div class="card-place">{put(Card)}</div>'


def _tabs(charts: Iterable[Drawing], put: Elements, say: Words) -> str:
    groups: dict[str, list[Drawing]] = {}
    for chart in charts:
        groups.setdefault(chart.tab, []).append(chart)
    tabs = {say(tab): _blocks(group, put, say) for tab, group in groups.items()}
    tabs[say("Theory")] = put(Theory, theory_value(read_results().bench, say), source="")
    heads = "".join(
        f'<button type="button" role="tab" aria-controls="tab-{i}">{escape(tab)}</button>'
        for i, tab in enumerate(tabs)
    )
    bodies = "".join(
        f'<div role="tabpanel" id="tab-{i}">{body}</div>' for i, body in enumerate(tabs.values())
    )
    return f'<div role="tablist">{heads}</div>{bodies}'


def _blocks(charts: Iterable[Drawing], put: Elements, say: Words) -> str:
    """Charts under one note stand side by side over the table that they share."""
    groups = (list(alike) for _, alike in groupby(charts, key=lambda chart: chart.note))
    return "".join(_block(group, put, say) for group in groups)


def _block(charts: Sequence[Drawing], put: Elements, say: Words) -> str:
    first = charts[0]
    drawn = "".join(
        f'<div id="{escape(chart.name)}">'
        f"{put(Chart, {'key': '', 'name': chart.name}, side=_side(chart), source='')}</div>"
        for chart in charts
    )
    title, note = escape(say(first.title)), escape(say(first.note))
    return (
        f'<section class="chart"><h3>{title}</h3><p>{note}</p>'
        f'<div class="chart-row">{drawn}</div>{put(Table, chart=first.name)}</section>'
    )


def _side(chart: Drawing) -> int | None:
    """Which of the two trees a chart is about."""
    last = chart.name.rpartition("-")[2]
    return SIDES.index(last) if last in SIDES else None
