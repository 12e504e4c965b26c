import math

import pytest

from components import theme
from components.figures.draft_tree import draft_tree, extent, order, spots
from components.figures.tidy import rows, tidy
from components.figures.tree_edges import badge
from components.selection import ROOT
from eagley_core.trace import Origin


@pytest.fixture
def figure(tiny):
    return draft_tree(tiny, tiny.steps[1], extent([tiny]))


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


def test_spots_and_order_by_hand(tiny):
    assert spots(tiny.steps[1]) == [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [3, 0]]
    assert order(tiny.steps[1]) == [ROOT, 0, 2, 4, 1, 3]


def test_reused_nodes_say_where_they_were_kept(figure, tiny):
    (badges,) = by_meta(figure, badges=True)
    assert badges.text == ("↰p3",)
    assert badges.textfont.color == (theme.colour("recycled"),)
    x, y = spots(tiny.steps[1])[3]  # of node 2, after the root's
    assert x - 1 < badges.x[0] < x
    assert badges.y == (y,)


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        (Origin(12, 3, True), "↰s12·3"),
        (Origin(12, ROOT, False), "↰s12·r"),
        (Origin(0, 31, False), "↰p31"),
        (Origin(12, 3, True, turn=0), "↰s12·3"),
    ],
)
def test_badges_by_hand(origin, shown):
    assert badge(origin, turn=0) == shown
    assert badge(origin, turn=1) == shown.replace("↰", "↰t1·")


def test_markup_in_tokens_is_escaped_everywhere(figure):
    (labels,) = by_meta(figure, labels=True)
    assert "&lt;b&gt;" in labels.text
    assert "<b>" not in labels.text


def test_points_report_but_do_not_speak(figure):
    # What a node's card says is drawn by the page, which needs hover events and no labels.
    assert {trace.hoverinfo for trace in markers(figure)} == {"none"}


def test_figure_has_no_nan_and_describes_itself(sample):
    for trace in sample.traces[1:]:
        for step in trace.steps[::7]:
            figure = draft_tree(trace, step, extent([trace]))
            assert "NaN" not in figure.to_json()
            assert trace.label in figure.layout.meta["alt"]
            sizes = [s for t in markers(figure) for s in t.marker.size]
            assert all(math.isfinite(size) for size in sizes)


def test_room_is_the_same_for_every_step(sample):
    room = extent(sample.traces)
    trace = sample.lanes["eagley"]
    heights = {draft_tree(trace, step, room).layout.height for step in trace.steps}
    assert len(heights) == 1


def test_a_larger_tree_gets_more_height_than_the_room(sample):
    trace = sample.lanes["eagley"]
    step = max(trace.steps, key=rows)
    figure = draft_tree(trace, step, extent([trace])._replace(height=100))
    assert figure.layout.height == 30 * rows(step) + 60
    assert figure.layout.yaxis.range[0] > rows(step) - 1  # the last row is in sight


def test_the_prefill_draws_root_and_bonus_only(tiny):
    figure = draft_tree(tiny, tiny.steps[0], extent([tiny]))
    assert [list(t.customdata) for t in markers(figure)] == [[ROOT, 0]]
