"""Another rule judges the recorded trees."""

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from seen import pick_run, ready  # noqa: E402


def ask(page, rule: str) -> None:
    field = page.locator("#what-if input")
    field.fill(rule)
    field.press("Enter")


def test_another_rule_judges_the_steps_until_it_is_taken_back(open_page):
    page = open_page()
    ready(page)
    note = page.locator("#tree-eagley .tree-note")
    ask(page, "top-k:3")
    expect(note).to_contain_text("Under top-k:3.")
    page.keyboard.press("Tab")
    page.locator("#what-if .key.close").click()
    expect(note).not_to_contain_text("Under")
    expect(page.locator("#what-if input")).to_have_value("")


def test_another_run_is_judged_by_its_own_rule(open_page):
    page = open_page()
    ready(page)
    ask(page, "top-k:3")
    expect(page.locator("#tree-eagley .tree-note")).to_contain_text("Under top-k:3.")
    pick_run(page, "Short: a first sentence")
    expect(page.locator("#what-if input")).to_have_value("")
    expect(page.locator("#tree-eagley .tree-note")).not_to_contain_text("Under")


def test_a_rule_that_is_none_is_told_in_place(open_page):
    page = open_page()
    ready(page)
    ask(page, "sometimes")
    note = page.locator("#tree-eagley .tree-note")
    expect(note).to_contain_text("As recorded: rule must be one of exact")
    page.wait_for_selector("#tree-eagley [data-node]:visible")
    ask(page, "")
    expect(note).not_to_contain_text("As recorded")


def test_an_address_can_ask_for_a_rule(open_page):
    page = open_page("?rule=top-k:3")
    expect(page.locator("#what-if input")).to_have_value("top-k:3")
    expect(page.locator("#tree-eagle .tree-note")).to_contain_text("Under top-k:3.")
