"""No serious finding of axe-core; skipped where it is not installed."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.browser
SERIOUS = {"serious", "critical"}


def findings(page, part="body") -> list[str]:
    """Serious findings, one line for each place in a part of the page."""
    found = axe_playwright.Axe().run(page, context=part).response["violations"]
    return [
        f"{rule['id']}: {place['target']} {place['html'][:160]}"
        for rule in found
        if rule["impact"] in SERIOUS
        for place in rule["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_has_no_serious_finding(open_page, theme, width):
    page = open_page(width=width, theme=theme)
    tokens = page.locator("#lane-eagley .token")
    expect(tokens.first).to_be_visible()
    tokens.nth(5).click()
    page.wait_for_timeout(500)
    assert findings(page) == []


def test_no_tab_has_a_serious_finding(open_page):
    page = open_page()
    expect(page.locator("#lane-eagley .token").first).to_be_visible()
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_timeout(500)
        assert findings(page, "#tabs") == [], tab.inner_text()
