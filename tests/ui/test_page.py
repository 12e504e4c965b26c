"""The page in a real browser."""

import re

import pytest
from sample_traces import WORDS, sample_trace

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)

EAGLEY = sample_trace("eagley")
EAGLE = sample_trace("eagle")
LANES = ("vanilla", "eagle", "eagley")


def settled(page, position: int) -> None:
    """The page shows this output position everywhere."""
    expect(page.locator(".status .place")).to_have_text(f"Token {position + 1} of {len(WORDS)}")
    for lane in LANES:
        selected = page.locator(f"#lane-{lane} .token.selected")
        expect(selected).to_have_attribute("data-position", str(position))
    for trace in (EAGLE, EAGLEY):
        title = page.locator(f"#tree-{trace.config.method} .tree-head .title").first
        expect(title).to_have_text(f"{trace.label}, step {trace.emitted[position].step}")


def position_of(page) -> int:
    return int(re.findall(r"\d+", page.locator(".status .place").inner_text())[0]) - 1


def step_start(trace, step: int) -> int:
    return next(i for i, token in enumerate(trace.emitted) if token.step == step)


FIRST_TOKEN = """new MutationObserver(() => {
  if (!window.firstToken && document.querySelector('.token')) window.firstToken = performance.now();
}).observe(document, { childList: true, subtree: true })"""


def test_a_recorded_run_is_visible_within_two_seconds_of_load(open_page):
    page = open_page(script=FIRST_TOKEN)
    page.wait_for_selector(".token")
    loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    assert page.evaluate(f"window.firstToken - {loaded}") < 2000
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))
    expect(page.locator("#lane-eagley .facts").first).to_contain_text("Identical to vanilla")


def test_arrow_keys_walk_the_steps_of_the_lane(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    step = EAGLEY.emitted[position_of(page)].step
    page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, step + 1))
    page.keyboard.press("ArrowLeft")
    settled(page, step_start(EAGLEY, step))
    page.keyboard.press("Shift+ArrowRight")
    settled(page, step_start(EAGLEY, step) + 1)
    page.keyboard.press("End")
    settled(page, len(WORDS) - 1)
    page.keyboard.press("Home")
    settled(page, 0)


def test_held_keys_end_where_they_were_released(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.keyboard.press("Home")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, 12))


def test_keys_are_left_alone_while_typing(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    before = position_of(page)
    page.get_by_role("button", name="Run your own prompt").click()
    prompt = page.locator("#prompt textarea")
    prompt.fill("ab")
    prompt.press("ArrowLeft")
    prompt.press("Home")
    prompt.type("x")
    expect(prompt).to_have_value("xab")
    assert position_of(page) == before


def test_a_click_on_a_token_selects_it_in_every_panel(open_page):
    page = open_page()
    page.locator("#lane-vanilla .token").nth(40).click()
    settled(page, 40)
    page.locator("#lane-eagle .token").nth(20).click()
    settled(page, 20)
    expect(page.locator(".ruler.walked .name")).to_have_text("EAGLE")


def test_a_click_on_a_tree_node_selects_it_in_every_panel(open_page):
    page = open_page()
    step = next(s for s in EAGLEY.decode_steps if len(s.accepted) > 1)
    start = step_start(EAGLEY, step.index)
    page.locator("#lane-eagley .token").nth(start).click()
    settled(page, start)
    text = EAGLEY.token_texts[step.nodes[step.accepted[1]].token_id].strip()
    click_node(page, step.accepted[1])
    settled(page, start + 1)
    expect(page.locator("#tree-eagley .card .title").first).to_contain_text(f"Node “·{text}”")


def click_node(page, node: int) -> None:
    """Clicks the middle of a node's marker."""
    plot = page.locator("#tree-eagley .viewer-plot")
    plot.scroll_into_view_if_needed()
    page.wait_for_selector("#tree-eagley .scatterlayer .points path")
    spot = plot.evaluate(
        """(plot, node) => {
          const trace = plot.data.find((t) => (t.customdata ?? []).includes(node));
          const i = trace.customdata.indexOf(node);
          const { xaxis, yaxis } = plot._fullLayout;
          const box = plot.getBoundingClientRect();
          return [
            box.left + xaxis._offset + xaxis.c2p(trace.x[i]),
            box.top + yaxis._offset + yaxis.c2p(trace.y[i]),
          ];
        }""",
        node,
    )
    page.mouse.move(*spot)
    page.mouse.click(*spot)


def steady_box(page, element) -> dict[str, float]:
    """Where an element is, once the page around it has come to rest."""
    boxes = [None, element.bounding_box()]
    while boxes[-1] is None or boxes[-1] != boxes[-2]:
        page.wait_for_timeout(250)
        boxes.append(element.bounding_box())
    return boxes[-1]


def test_a_click_on_a_heatmap_cell_selects_its_step(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.get_by_role("tab", name="Acceptance").click()
    plot = page.locator("#acceptance-eagley")
    plot.scroll_into_view_if_needed()
    area = steady_box(page, page.locator("#acceptance-eagley .nsewdrag").first)
    column = area["width"] / len(EAGLEY.decode_steps)
    page.mouse.move(area["x"] + 2.5 * column, area["y"] + 8)
    page.mouse.click(area["x"] + 2.5 * column, area["y"] + 8)
    settled(page, step_start(EAGLEY, 3))


def test_zoom_is_kept_when_the_selection_moves(open_page):
    page = open_page()
    plot = page.locator("#tree-eagley .viewer-plot")
    plot.scroll_into_view_if_needed()
    area = steady_box(page, page.locator("#tree-eagley .nsewdrag").first)
    before = EAGLEY.emitted[position_of(page)].step
    page.mouse.move(area["x"] + 40, area["y"] + 40)
    page.mouse.down()
    page.mouse.move(area["x"] + 240, area["y"] + 200, steps=4)
    page.mouse.up()
    zoomed = plot.evaluate("plot => plot._fullLayout.xaxis.range")
    assert zoomed[1] - zoomed[0] < 4
    page.keyboard.press("ArrowRight")
    settled(page, step_start(EAGLEY, before + 1))
    assert plot.evaluate("plot => plot._fullLayout.xaxis.range") == zoomed


def test_another_recorded_run_can_be_opened(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.get_by_label("Run", exact=True).click()
    page.get_by_role("option", name="Short: a first sentence").click()
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    expect(page.locator(".status .place")).to_contain_text("of 14")


def start_run(page, tokens: int = 64) -> None:
    page.wait_for_selector(".token.selected")
    page.get_by_role("button", name="Run your own prompt").click()
    page.locator("#prompt textarea").fill("Why is the sky blue?")
    page.get_by_label("number input for New tokens at most").fill(str(tokens))
    page.locator("#run").click()


def test_a_live_run_streams_and_is_kept(open_page):
    page = open_page()
    start_run(page, 24)
    expect(page.locator("#lane-eagley .tokens")).to_have_text("Waits for its turn.")
    expect(page.locator("#meter")).to_contain_text("tokens/s")
    expect(page.locator("#lane-eagley .token")).to_have_count(24, timeout=15000)
    expect(page.locator("#about")).to_contain_text("Why is the sky blue?", timeout=15000)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    expect(page.locator("#prompt textarea")).to_have_value("Why is the sky blue?")


def test_a_live_run_can_be_stopped(open_page):
    page = open_page()
    start_run(page)
    expect(page.locator("#lane-eagle .tokens")).to_have_text("Waits for its turn.")
    page.wait_for_selector("#lane-eagle .token.draft", timeout=20000)
    page.locator("#stop").click()
    expect(page.locator("#meter")).to_contain_text("Stopped")
    expect(page.locator("#lane-vanilla .token")).to_have_count(64)
    expect(page.locator("#lane-eagle .facts").first).to_contain_text("stopped by you")
    expect(page.locator("#lane-eagley .tokens")).to_have_text("This lane was not run.")


def test_bad_input_is_one_line_and_nothing_is_lost(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.get_by_role("button", name="Run your own prompt").click()
    page.locator("#prompt textarea").fill("  ")
    page.locator("#run").click()
    expect(page.locator("#meter")).to_contain_text("the prompt is empty")
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_page_fits_in_light_and_dark(open_page, width, theme):
    page = open_page(width, 900, theme)
    tree = page.locator("#tree-eagley .viewer-plot")
    tree.scroll_into_view_if_needed()
    page.wait_for_selector("#tree-eagley .main-svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    colour = tree.evaluate("plot => plot._fullLayout.xaxis.tickfont.color")
    assert colour == {"light": "#626b76", "dark": "#9ba4ae"}[theme]


def test_charts_follow_a_change_of_theme(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    tree = page.locator("#tree-eagle .viewer-plot")
    tree.scroll_into_view_if_needed()
    page.wait_for_selector("#tree-eagle .main-svg")
    page.evaluate("document.body.classList.add('dark')")
    page.wait_for_function(
        "document.querySelector('#tree-eagle .viewer-plot')._fullLayout.font.color === '#e8eaed'"
    )


def test_charts_describe_themselves(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    tree = page.locator("#tree-eagle .viewer-plot")
    tree.scroll_into_view_if_needed()
    expect(tree).to_have_attribute("role", "img")
    expect(tree).to_have_attribute("aria-label", re.compile("EAGLE draft tree of step"))


def choose(page, path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a trace").click()
    chooser.value.set_files(path)


def test_a_trace_can_be_saved_and_opened_again(open_page, tmp_path):
    page = open_page()
    page.wait_for_selector(".token.selected")
    with page.expect_download() as download:
        page.get_by_text("Save this trace").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    choose(page, path)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))


def test_a_broken_trace_is_one_line_and_the_page_stays(open_page, tmp_path):
    page = open_page()
    page.wait_for_selector(".token.selected")
    path = tmp_path / "broken.json.gz"
    path.write_bytes(b"nothing")
    choose(page, path)
    expect(page.get_by_text("broken.json.gz is not a trace file")).to_be_visible()
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))


def test_another_rule_judges_the_step_until_another_run_is_opened(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    head = page.locator("#tree-eagley .tree-head .note").first
    rule = page.locator("#what-if input")
    rule.fill("top-k:3")
    rule.press("Enter")
    expect(head).to_contain_text("Under top-k:3.")
    page.keyboard.press("Tab")
    rule.fill("sometimes")
    rule.press("Enter")
    expect(page.get_by_text("rule must be one of exact")).to_be_visible()
    expect(head).to_contain_text("Under top-k:3.")
    page.get_by_label("Run", exact=True).click()
    page.get_by_role("option", name="Short: a first sentence").click()
    expect(rule).to_have_value("as recorded")
    expect(head).not_to_contain_text("Under")


def test_a_live_run_takes_the_chosen_rule_and_refuses_a_bad_one(open_page):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.get_by_role("button", name="Run your own prompt").click()
    page.get_by_role("button", name="Rule and channels").click()
    page.locator("#prompt textarea").fill("Why is the sky blue?")
    rule = page.locator("#rule input")
    rule.fill("lenience:7")
    rule.press("Enter")
    page.locator("#run").click()
    expect(page.locator("#meter")).to_contain_text(
        "lenience of rule lenience must lie in [0.0, 1.0]"
    )
    rule.fill("lenience:0.5")
    rule.press("Enter")
    page.get_by_label("draft-state").uncheck()
    page.get_by_label("number input for New tokens at most").fill("16")
    page.locator("#run").click()
    expect(page.locator("#lane-eagley .how")).to_have_text(
        "rule lenience:0.5 (approximate) · channels: recycled, suffix", timeout=15000
    )
