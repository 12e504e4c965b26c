"""Every way to select something moves every panel."""

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from sample_traces import WORDS  # noqa: E402
from seen import (  # noqa: E402
    EAGLE,
    EAGLEY,
    card_shows,
    position_of,
    ready,
    settled,
    shows_step,
    steady_box,
    step_start,
)

from components.difference import divergences  # noqa: E402


def test_arrow_keys_walk_the_steps_of_the_lane(open_page):
    page = open_page()
    ready(page)
    step = EAGLEY.emitted[position_of(page)].step
    page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, step + 1))
    page.keyboard.press("ArrowLeft")
    settled(page, step_start(EAGLEY, step))
    page.keyboard.press("Shift+ArrowRight")
    settled(page, step_start(EAGLEY, step) + 1)
    card_shows(page, EAGLEY, step_start(EAGLEY, step) + 1)
    page.keyboard.press("End")
    settled(page, len(WORDS) - 1)
    page.keyboard.press("Home")
    settled(page, 0)


def test_held_keys_end_where_they_were_released(open_page):
    page = open_page()
    ready(page)
    page.keyboard.press("Home")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, 12))


def test_keys_are_left_alone_while_typing(open_page):
    page = open_page()
    ready(page)
    before = position_of(page)
    page.get_by_role("button", name="Run your own prompt").click()
    prompt = page.locator("#prompt textarea")
    prompt.fill("ab")
    prompt.press("ArrowLeft")
    prompt.press("Home")
    prompt.type("xn")
    expect(prompt).to_have_value("xnab")
    assert position_of(page) == before


def test_a_click_on_a_token_selects_it_in_every_panel(open_page):
    page = open_page()
    ready(page)
    page.locator("#lane-vanilla .token").nth(40).click()
    settled(page, 40)
    card_shows(page, EAGLEY, 40)
    page.locator("#lane-eagle .token").nth(20).click()
    settled(page, 20)
    card_shows(page, EAGLE, 20)
    expect(page.locator(".ruler.walked .name")).to_have_text("EAGLE")


def test_a_click_on_a_tree_node_selects_it_in_every_panel(open_page):
    page = open_page()
    ready(page)
    step = next(s for s in EAGLEY.decode_steps if len(s.accepted) > 1)
    start = step_start(EAGLEY, step.index)
    page.locator("#lane-eagley .token").nth(start).click()
    settled(page, start)
    node = step.accepted[1]
    page.locator(f"#tree-eagley g.node[data-node='{node}']").first.click()
    settled(page, start + 1)
    text = EAGLEY.token_texts[step.nodes[node].token_id].strip()
    expect(page.locator(".card-box .title")).to_contain_text(f"Node “·{text}”")


def test_keys_walk_the_nodes_of_the_tree_in_sight(open_page):
    page = open_page()
    ready(page)
    page.locator("#tree-eagley").scroll_into_view_if_needed()
    step = next(s for s in EAGLEY.decode_steps if len(s.nodes) > 4)
    page.locator("#lane-eagley .token").nth(step_start(EAGLEY, step.index)).click()
    shows_step(page, EAGLEY, step.index)
    seen = set()
    for _ in range(len(step.nodes) + 2):
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(60)
        seen.add(page.locator(".card-box").inner_text())
        shows_step(page, EAGLEY, step.index)
    assert len(seen) >= len(step.nodes) // 2


def test_the_slider_and_the_step_segments_select(open_page):
    page = open_page()
    ready(page)
    page.locator(".navigator .range").evaluate(
        "range => { range.value = 33; range.dispatchEvent(new Event('input')); }"
    )
    settled(page, 33)
    page.locator(".segments[data-method=eagle] [data-step='5']").click()
    settled(page, step_start(EAGLE, 5))


def test_the_next_difference_of_the_trees_is_a_key_away(open_page):
    page = open_page()
    ready(page)
    page.keyboard.press("Home")
    places = [place for place in divergences(EAGLE, EAGLEY) if place > 0]
    for place in places[:2]:
        page.keyboard.press("n")
        settled(page, place)
    page.keyboard.press("d")
    lone = page.locator(
        "#tree-eagley .node circle[stroke-dasharray], #tree-eagle .node circle[stroke-dasharray]"
    )
    expect(lone.first).to_be_attached()


def test_lanes_can_be_locked_by_step_and_by_clock(open_page):
    page = open_page()
    ready(page)
    page.locator("#lane-eagley .token").nth(step_start(EAGLEY, 9)).click()
    page.keyboard.press("l")
    for trace in (EAGLE, EAGLEY):
        shows_step(page, trace, 9)
    page.keyboard.press("l")
    step = EAGLEY.steps[9]
    end = step.started + step.seconds
    shows_step(page, EAGLE, next(s.index for s in EAGLE.steps if s.started + s.seconds >= end))
    page.keyboard.press("l")
    settled(page, step_start(EAGLEY, 9))


def test_playing_walks_on_and_pauses(open_page):
    page = open_page()
    ready(page)
    page.keyboard.press("Home")
    settled(page, 0)
    page.keyboard.press("Space")
    expect(page.locator(".status .place")).not_to_have_text(f"Token 1 of {len(WORDS)}")
    page.keyboard.press("Space")
    stopped = position_of(page)
    page.wait_for_timeout(1200)
    assert position_of(page) == stopped > 0


@pytest.mark.parametrize(("tab", "chart"), [("Acceptance", "acceptance-eagley")])
def test_a_click_on_a_chart_selects_its_step(open_page, tab, chart):
    page = open_page()
    ready(page)
    page.get_by_role("tab", name=tab).click()
    page.locator(f"#{chart}").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{chart} .nsewdrag")
    area = steady_box(page, page.locator(f"#{chart} .nsewdrag").first)
    column = area["width"] / len(EAGLEY.decode_steps)
    page.mouse.move(area["x"] + 2.5 * column, area["y"] + 8)
    page.mouse.click(area["x"] + 2.5 * column, area["y"] + 8)
    settled(page, step_start(EAGLEY, 3))


def test_zoom_is_kept_when_the_selection_moves(open_page):
    page = open_page()
    ready(page)
    before = EAGLEY.emitted[position_of(page)].step
    tree = page.locator("#tree-eagley .tree-plot")
    page.locator("#tree-eagley .key.plus").click()
    zoomed = tree.get_attribute("viewBox")
    page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, before + 1))
    assert tree.get_attribute("viewBox") == zoomed
