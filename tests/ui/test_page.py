"""The page as it comes: quickly, in every width, theme and language."""

import re

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from sample_traces import WORDS  # noqa: E402
from seen import ready  # noqa: E402

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
    expect(page.locator(".nav-holder")).not_to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_page_fits_in_light_and_dark(open_page, width, theme):
    page = open_page(width=width, height=900, theme=theme)
    ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    fill = page.locator("#tree-eagley .tree-plot text").first.get_attribute("fill")
    assert fill == {"light": "#626b76", "dark": "#9ba4ae"}[theme]


def test_trees_and_charts_follow_a_change_of_theme(open_page):
    page = open_page()
    ready(page)
    page.locator("#timeline").scroll_into_view_if_needed()
    page.wait_for_selector("#timeline .main-svg")
    page.evaluate("document.body.classList.add('dark')")
    expect(page.locator("#tree-eagle .tree-plot text").first).to_have_attribute("fill", "#9ba4ae")
    page.wait_for_function(
        "document.querySelector('#timeline .chart-plot')._fullLayout.font.color === '#e8eaed'"
    )


def test_trees_and_charts_describe_themselves(open_page):
    page = open_page()
    ready(page)
    tree = page.locator("#tree-eagle .tree-plot")
    expect(tree).to_have_attribute("role", "img")
    expect(tree).to_have_attribute("aria-label", re.compile("EAGLE draft tree of step"))
    chart = page.locator("#timeline .chart-plot")
    page.locator("#timeline").scroll_into_view_if_needed()
    expect(chart).to_have_attribute("aria-label", re.compile("Timeline"))


def test_every_chart_has_its_table(open_page):
    page = open_page()
    ready(page)
    for tab in page.locator("#tabs [role=tab]").all():
        tab.click()
        panel = page.locator("#tabs [role=tabpanel]:visible").first
        if panel.locator(".chart-box").count():
            panel.locator(".table-fold summary").first.click()
            # The sample has no internals: their tables say that they have no rows.
            told = panel.locator(".table-fold").first.locator("tbody tr, [role=status]").first
            expect(told).to_be_visible()


def switch_language(page) -> None:
    ready(page)
    page.wait_for_timeout(1500)  # what is asked for at load would be told as given up
    page.locator("#language a").click()


def test_the_same_page_is_there_in_chinese(open_page):
    page = open_page("zh")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator("#lane-vanilla h2")).to_have_text("原始解码")
    switch_language(page)
    expect(page.locator("#lane-vanilla h2")).to_have_text("Vanilla")
    switch_language(page)
    expect(page.locator("#lane-vanilla h2")).to_have_text("原始解码")


def test_who_prefers_chinese_is_sent_there_once(open_page):
    page = open_page("?trace=2-short_a-first-sentence", locale="zh-CN")
    expect(page.locator("#lane-vanilla h2")).to_have_text("原始解码")
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    switch_language(page)
    expect(page.locator("#lane-vanilla h2")).to_have_text("Vanilla")
    page.wait_for_timeout(1500)
    page.reload()
    expect(page.locator("#lane-vanilla h2")).to_have_text("Vanilla")


def test_the_keys_are_told_when_asked_for(open_page):
    page = open_page()
    ready(page)
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).not_to_be_visible()
