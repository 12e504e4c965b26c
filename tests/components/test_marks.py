"""Every source and every provenance has a name, a colour, a second cue, and is drawn."""

import re
from typing import get_args

import pytest

from components import theme
from components.elements.tokens import token_list
from components.explain import facts
from components.figures.acceptance import OUTCOMES, acceptance
from components.figures.draft_tree import draft_tree, extent
from components.figures.provenance import provenance
from components.legend import source_legend, tree_legend
from components.look import stylesheet
from components.marks import DRAWN, PROVENANCES, expected, in_text, in_trees
from components.numbers import numbers
from components.packets import note
from components.panels.lanes import settings_of
from components.selection import Comparison, Place
from components.tables import acceptance_table, provenance_table, tree_table
from eagley_core.config import DecodeConfig
from eagley_core.reuse import CHANNELS
from eagley_core.rule import Rule
from eagley_core.trace import Provenance, Source

SOURCES = get_args(Source)


def test_every_source_and_provenance_is_marked():
    assert set(DRAWN) == {*SOURCES, "bonus"}
    assert set(PROVENANCES) == set(get_args(Provenance))
    assert set(OUTCOMES) == {"untested", "rejected", *SOURCES}


@pytest.mark.parametrize("cue", ["words", "short", "letter", "dash", "underline"])
def test_no_two_sources_share_a_cue(cue):
    assert len({getattr(mark, cue) for mark in DRAWN.values()}) == len(DRAWN)


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK])
def test_every_source_has_colours_of_its_own(palette):
    assert len({palette[source] for source in DRAWN}) == len(DRAWN)
    assert {f"{source}_pale" for source in SOURCES} <= palette.keys()


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK])
def test_no_two_provenances_look_alike(palette):
    rows = PROVENANCES.values()
    assert len({palette[row.role] for row in rows}) == len(rows)
    letters = [row.letter for row in rows if row.letter]
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize("source", DRAWN)
def test_the_stylesheet_underlines_every_source(source):
    css = stylesheet()
    assert re.search(rf"\.{source} {{ --mark: var\(--{source}\); --line: underline", css)
    assert css.count(f"--{source}: #") == 2  # light and dark


def test_the_text_names_every_source(every):
    assert {source for _, source, _ in token_list(every)["tokens"]} == set(DRAWN)
    told = {number.label: number.value for number in numbers(every, None)}["Tokens by source"]
    assert all(f"1 {mark.short}" in told for name, mark in DRAWN.items() if name != "bonus")


def test_legends_show_what_occurs_and_nothing_else(every, tiny):
    assert in_trees([every]) == in_text([every]) == tuple(DRAWN)
    few = in_trees([tiny])
    assert few == ("draft", "recycled", "bonus")
    assert DRAWN["suffix"].short not in tree_legend(few) + source_legend(few)
    assert all(mark.words in source_legend(DRAWN) for mark in DRAWN.values())
    assert all(mark.short in tree_legend(DRAWN) for mark in DRAWN.values())


def test_a_run_to_come_has_the_sources_of_its_channels():
    assert expected(()) == ("draft", "bonus")
    assert expected(["recycled:rejected", "draft-kv:new"]) == ("draft", "recycled", "bonus")
    assert expected(CHANNELS) == tuple(DRAWN)


def test_the_tree_draws_every_source(every):
    figure = draft_tree(every, every.steps[1], extent([every]))
    lines = [t for t in figure.data if t.meta and "edge" in t.meta]
    assert {(t.meta["edge"], t.meta["path"]) for t in lines} == {
        *((source, is_path) for source in SOURCES for is_path in (False, True)),
        ("bonus", True),
    }
    assert all(t.line.dash == DRAWN[t.meta["edge"]].dash for t in lines)
    roles = {t.meta["role"] for t in figure.data if t.meta and t.meta.get("verdict") == "accepted"}
    assert roles == set(SOURCES)
    assert colours(figure) <= set(theme.DARK_TWINS)


def test_the_acceptance_chart_has_every_source(every):
    figure = acceptance(Comparison("every", (every,)), "eagley")
    assert [line[0] for line in figure.data[0].text] == [DRAWN[s].letter for s in SOURCES]
    assert [t.name for t in figure.data[1:]] == [
        f"accepted, {mark.short} ({mark.letter})" for mark in map(DRAWN.get, SOURCES)
    ]
    assert colours(figure) <= set(theme.DARK_TWINS)


def test_the_provenance_chart_has_every_provenance(every):
    figure = provenance(Comparison("every", (every,)), "eagley")
    cells = figure.data[0]
    names = get_args(Provenance)
    assert list(cells.z[1]) == [list(PROVENANCES).index(name) for name in names]
    assert list(cells.text[1]) == [PROVENANCES[name].letter for name in names]
    for told, name in zip(cells.hovertext[1], names, strict=True):
        assert told.split(",")[0] == name
    assert cells.hovertext[1][-1].endswith(", age 2")
    assert len(figure.data) == 1 + len(PROVENANCES)
    assert colours(figure) <= set(theme.DARK_TWINS)


def colours(figure) -> set[str]:
    return set(re.findall(r"#[0-9a-f]{6}", figure.to_json()))


def test_the_tables_have_every_source_and_provenance(every):
    both = Comparison("every", (every,))
    assert set(tree_table(every, every.steps[1])["source"]) == set(SOURCES)
    assert acceptance_table(both).iloc[0, 3:].tolist() == list(SOURCES)
    assert set(provenance_table(both)["provenance"]) == set(PROVENANCES)


def test_the_card_and_the_note_name_every_source(every):
    step = every.steps[1]
    for index, node in enumerate(step.nodes):
        assert DRAWN[node.source].words in dict(facts(every, Place(step, index)))["Source"]
    told = note(step, False)
    for source in set(SOURCES) - {"draft"}:
        assert f"; {DRAWN[source].short}: 2, accepted 1" in told


def test_a_lane_names_its_rule_its_coupling_and_its_channels():
    assert settings_of(DecodeConfig("vanilla")) == settings_of(DecodeConfig("eagle")) == ""
    assert settings_of(DecodeConfig()) == "channels: recycled, suffix, draft-state"
    assert settings_of(DecodeConfig("eagle", temperature=1.0)) == "coupled"
    odd = DecodeConfig(rule=Rule.parse("lenience:0.5"), reuse=("draft-kv:exact",))
    assert settings_of(odd) == "rule lenience:0.5 (approximate) · channels: draft-kv:exact"
    stale = DecodeConfig(reuse=("stale-kv:4",))
    assert settings_of(stale) == "channels: stale-kv:4 · approximate rows"
