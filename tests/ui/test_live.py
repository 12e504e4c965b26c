"""A prompt of the visitor's own, streamed into the lanes."""

import re

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from sample_traces import WORDS  # noqa: E402
from seen import ready  # noqa: E402

LONG = 20_000  # milliseconds


def fill(page, prompt: str = "Why is the sky blue?", tokens: int = 64) -> None:
    ready(page)
    page.get_by_role("button", name="Run your own prompt").click()
    page.locator("#prompt textarea").fill(prompt)
    page.get_by_label("number input for New tokens at most").fill(str(tokens))


def choose_rule(page, field: str, rule: str) -> None:
    page.locator(f"#{field} input").fill(rule)
    page.locator(f"#{field} input").press("Enter")


def test_a_live_run_streams_and_is_kept(open_page):
    page = open_page()
    fill(page, tokens=24)
    page.locator("#run").click()
    expect(page.locator("#lane-eagley .tokens")).to_have_text("Waits for its turn.")
    expect(page.locator("#meter")).to_contain_text("tokens/s")
    expect(page.locator("#lane-eagley .token")).to_have_count(24, timeout=LONG)
    expect(page.locator("#about")).to_contain_text("Why is the sky blue?", timeout=LONG)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    expect(page.locator("#prompt textarea")).to_have_value("Why is the sky blue?")
    page.locator("#lane-eagle .token").nth(10).click()
    expect(page.locator(".status .place")).to_have_text("Token 11 of 24")
    page.wait_for_selector("#tree-eagley [data-node]")


def test_a_live_run_can_be_stopped(open_page):
    page = open_page()
    fill(page)
    page.locator("#run").click()
    expect(page.locator("#lane-eagle .tokens")).to_have_text("Waits for its turn.")
    page.wait_for_selector("#lane-eagle .token.draft", timeout=LONG)
    page.locator("#stop").click()
    expect(page.locator("#meter")).to_contain_text("Stopped")
    expect(page.locator("#lane-vanilla .token")).to_have_count(64)
    expect(page.locator("#lane-eagle .facts").first).to_contain_text("stopped by you")
    expect(page.locator("#lane-eagley")).not_to_be_visible()


def test_bad_input_is_one_line_and_nothing_is_lost(open_page):
    page = open_page()
    fill(page, "  ")
    page.locator("#run").click()
    expect(page.locator("#meter")).to_contain_text("the prompt is empty")
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))
    page.wait_for_selector(".token.selected")


def test_a_live_run_takes_the_chosen_rule_and_refuses_a_bad_one(open_page):
    page = open_page()
    fill(page, tokens=16)
    page.get_by_role("button", name="Rule and channels").click()
    choose_rule(page, "rule", "lenience:7")
    page.locator("#run").click()
    expect(page.locator("#meter")).to_contain_text(
        "lenience of rule lenience must lie in [0.0, 1.0]"
    )
    choose_rule(page, "rule", "lenience:0.5")
    page.locator("#channels").get_by_label("draft-state").uncheck()
    page.locator("#run").click()
    expect(page.locator("#lane-eagley .how").first).to_have_text(
        "rule lenience:0.5 (approximate) · channels: recycled, suffix", timeout=LONG
    )


def test_two_configurations_of_eagley_can_be_compared(open_page):
    page = open_page()
    fill(page, tokens=16)
    page.get_by_role("button", name="A second EAGLEY").click()
    page.locator("#has-second input").check()
    choose_rule(page, "second-rule", "top-k:3")
    page.locator("#run").click()
    heads = page.locator("#lane-eagley-2 h2")
    expect(heads).to_have_text("EAGLEY 2: rule top-k:3, channels –", timeout=LONG)
    expect(page.locator("#lane-eagley h2")).to_contain_text("EAGLEY 1: rule exact")
    page.locator("#lane-eagley-2 .token").nth(8).click()
    expect(page.locator("#lane-eagley .token.selected")).to_have_attribute("data-position", "8")
    for side in ("eagle", "eagley"):
        page.wait_for_selector(f"#tree-{side} [data-node]")
