import math

import pytest

from components import theme
from components.figures.draft_tree import draft_tree, extent
from components.figures.tidy import rows, tidy
from components.selection import ROOT, Place, Selection, place


@pytest.fixture
def figure(tiny, chosen):
    return draft_tree(tiny, place(tiny, chosen), extent([tiny]))


def markers(figure):
    return [t for t in figure.data if t.customdata is not None]


def by_meta(figure, **meta):
    return [t for t in figure.data if t.meta and all(t.meta.get(k) == v for k, v in meta.items())]


def test_tidy_by_hand(tiny):
    # The accepted path and the bonus are the top row; the rejected branch hangs below.
    assert {k: tuple(v) for k, v in tidy(tiny.steps[1]).items()} == {
        ROOT: (0, 0),
        0: (1, 0),
        2: (2, 0),
        4: (3, 0),
        1: (1, 1),
        3: (2, 1),
    }
    assert rows(tiny.steps[1]) == 2


def test_no_two_nodes_share_a_spot(sample):
    for trace in sample.traces:
        for step in trace.steps:
            spots = tidy(step)
            assert len(spots) == len(step.nodes) + 2
            assert len(set(spots.values())) == len(spots)


def test_every_node_can_be_clicked_by_its_id(figure):
    ids = [i for trace in markers(figure) for i in trace.customdata]
    assert sorted(ids) == [ROOT, 0, 1, 2, 3, 4]


@pytest.mark.parametrize("verdict", ["accepted", "rejected", "untested"])
def test_verdicts_have_a_symbol_and_a_letter(figure, verdict):
    for trace in by_meta(figure, verdict=verdict):
        assert trace.marker.symbol == theme.SYMBOLS[verdict]
        assert set(trace.text) == {theme.LETTERS[verdict]}


def test_accepted_nodes_have_the_colour_of_their_source(figure):
    roles = {t.meta["role"]: t.marker.colorscale[1][1] for t in by_meta(figure, verdict="accepted")}
    assert roles == {"draft": theme.colour("draft"), "recycled": theme.colour("recycled")}


def test_edges_are_classed_by_source_and_path(figure):
    edges = {
        (t.meta["edge"], t.meta["path"]): (t.line.dash, t.line.width)
        for t in figure.data
        if t.meta and "edge" in t.meta
    }
    assert edges == {
        ("draft", False): ("solid", 1.25),
        ("draft", True): ("solid", 3),
        ("recycled", True): ("2px,3px", 3),
        ("bonus", True): ("6px,4px", 3),
    }


def test_the_selected_node_is_ringed(tiny):
    figure = draft_tree(tiny, Place(tiny.steps[1], 3), extent([tiny]))
    (ring,) = by_meta(figure, ring=True)
    assert (ring.x, ring.y) == ((2,), (1,))


def test_markup_in_tokens_is_escaped_everywhere(figure):
    (labels,) = by_meta(figure, labels=True)
    assert "&lt;b&gt;" in labels.text
    assert "<b>" not in labels.text
    hover = next(t.hovertext[t.customdata.index(1)] for t in markers(figure) if 1 in t.customdata)
    assert "&lt;b&gt;" in hover.split("<br>")[0]


def test_hover_has_every_recorded_fact(figure):
    hover = next(t.hovertext[t.customdata.index(2)] for t in markers(figure) if 2 in t.customdata)
    for fact in ("·is", "Accepted", "depth 2", "recycled", "prefill", "90.0%", "rank", "0.2500"):
        assert fact in hover


def test_figure_has_no_nan_and_describes_itself(sample):
    for trace in sample.traces[1:]:
        for position in range(0, len(trace.output_ids), 7):
            figure = draft_tree(trace, place(trace, Selection(position)), extent([trace]))
            assert "NaN" not in figure.to_json()
            assert trace.label in figure.layout.meta["alt"]
            sizes = [s for t in markers(figure) for s in t.marker.size]
            assert all(math.isfinite(size) for size in sizes)


def test_room_is_the_same_for_every_step(sample):
    room = extent(sample.traces)
    trace = sample.lanes["eagley"]
    heights = {
        draft_tree(trace, place(trace, Selection(p)), room).layout.height for p in range(0, 60, 9)
    }
    assert len(heights) == 1


def test_the_prefill_draws_root_and_bonus_only(tiny):
    figure = draft_tree(tiny, place(tiny, Selection(0)), extent([tiny]))
    assert [list(t.customdata) for t in markers(figure)] == [[ROOT, 0]]
