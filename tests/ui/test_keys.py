"""Keys and the bar, on an exported file: the scripts are those of the app."""

import pytest
from sample_traces import WORDS, sample_trace

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)

EAGLE, EAGLEY = sample_trace("eagle"), sample_trace("eagley")
LANES = {"eagle": (EAGLE, 0), "eagley": (EAGLEY, 1)}


def start_of(trace, step: int) -> int:
    return next(i for i, token in enumerate(trace.emitted) if token.step == step)


def settled(page, position: int) -> None:
    """Bar, texts and trees all show this output token."""
    expect(page.locator(".status .place")).to_have_text(f"Token {position + 1} of {len(WORDS)}")
    for lane, (trace, side) in LANES.items():
        selected = page.locator(f"#lane-{lane} .token.selected")
        expect(selected).to_have_attribute("data-position", str(position))
        title = page.locator(f"#tree-{side} .tree-title")
        expect(title).to_have_text(f"{trace.label}, step {trace.emitted[position].step}")


def test_arrow_keys_walk_steps_and_tokens(open_export):
    page = open_export()
    page.keyboard.press("Home")
    settled(page, 0)
    page.keyboard.press("ArrowRight")
    settled(page, start_of(EAGLEY, 1))
    page.keyboard.press("Shift+ArrowRight")
    settled(page, start_of(EAGLEY, 1) + 1)
    page.keyboard.press("ArrowLeft")
    settled(page, 0)
    page.keyboard.press("End")
    settled(page, len(WORDS) - 1)


def test_a_held_key_ends_where_it_was_released(open_export):
    page = open_export()
    page.keyboard.press("Home")
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    settled(page, start_of(EAGLEY, 25))


def test_the_walked_lane_is_chosen_by_its_name(open_export):
    page = open_export()
    page.locator(".ruler .name", has_text="EAGLE").first.click()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    settled(page, start_of(EAGLE, 1))


def test_up_and_down_walk_the_nodes_as_they_are_drawn(open_export):
    page = open_export()
    page.locator("#tree-1 .tree-plot").scroll_into_view_if_needed()
    step = page.evaluate("eagley.place('eagley').step")
    order = page.evaluate("s => eagley.packet('eagley', s).then((p) => p.order)", step)
    at = order.index(page.evaluate("eagley.place('eagley').node"))
    page.keyboard.press("ArrowDown")
    assert page.evaluate("eagley.place('eagley')")["node"] == order[at + 1]
    page.keyboard.press("ArrowUp")
    assert page.evaluate("eagley.place('eagley')")["node"] == order[at]
    assert page.evaluate("eagley.place('eagley').step") == step


def test_n_goes_round_the_places_where_the_trees_differ(open_export):
    page = open_export()
    places = page.evaluate("eagley.view.divergences")
    assert places
    page.keyboard.press("Home")
    wanted = [p for p in places if p > 0][:2]
    for position in wanted:
        page.keyboard.press("n")
        settled(page, position)
    page.keyboard.press("End")
    page.keyboard.press("n")
    settled(page, places[0])


def test_l_locks_the_lanes_by_step_and_by_clock(open_export):
    page = open_export()
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    expect(page.locator("#tree-0 .tree-title")).to_have_text("EAGLE, step 5")
    page.keyboard.press("l")
    end = EAGLEY.steps[5].started + EAGLEY.steps[5].seconds
    ends = [step.started + step.seconds for step in EAGLE.steps]
    under_way = next(i for i, seconds in enumerate(ends) if round(seconds, 6) >= round(end, 6))
    expect(page.locator("#tree-0 .tree-title")).to_have_text(f"EAGLE, step {under_way}")
    expect(page.locator("#tree-1 .tree-title")).to_have_text("EAGLEY, step 5")
    page.keyboard.press("l")
    settled(page, start_of(EAGLEY, 5))


def test_space_plays_until_a_key_is_pressed(open_export):
    page = open_export()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function("eagley.selection.position > 0")
    page.keyboard.press("Home")
    assert not page.evaluate("eagley.walk.isPlaying()")
    settled(page, 0)


def test_the_keys_are_listed_over_the_page(open_export):
    page = open_export()
    page.keyboard.press("?")
    help_box = page.locator("dialog.help")
    expect(help_box).to_be_visible()
    before = page.evaluate("eagley.selection.position")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("eagley.selection.position") == before
    page.keyboard.press("Escape")
    expect(help_box).to_be_hidden()


def test_keys_are_left_alone_where_somebody_types(open_export):
    page = open_export()
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("textarea").fill("n")
    before = page.evaluate("eagley.selection.position")
    for key in ("n", "ArrowLeft", "Home", "?"):
        page.locator("textarea").press(key)
    assert page.evaluate("eagley.selection.position") == before
    expect(page.locator("textarea")).to_have_value("?nn")
