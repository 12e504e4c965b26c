"""Sweeps and the serving model in the browser."""

import json
import re

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from sample_sweep import sample_sweep  # noqa: E402


def opened(open_page, tab: str):
    page = open_page()
    page.wait_for_selector(".token.selected")
    page.get_by_role("tab", name=tab, exact=True).click()
    return page


def upload(page, path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a sweep").click()
    chooser.value.set_files(path)


def choose(page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).locator("visible=true").click()
    page.get_by_role("option", name=option).click()


def test_a_sweep_file_is_opened_as_a_heatmap_and_cut_otherwise(open_page, tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(sample_sweep()))
    page = opened(open_page, "Sweeps")
    upload(page, tmp_path / "mine.json")
    plot = page.locator("#sweep .viewer-plot")
    expect(plot).to_have_attribute("aria-label", "mean accepted length of EAGLEY: 4.50 to 9.50.")
    choose(page, "Colour", "speed-up over vanilla")
    expect(plot).to_have_attribute("aria-label", "speed-up over vanilla of EAGLEY: not measured.")
    choose(page, "Colour", "mean accepted length")
    choose(page, "Up", "–")
    choose(page, "At", "temperature 1.0")
    expect(plot).to_have_attribute("aria-label", "mean accepted length of EAGLEY: 5.50 to 9.50.")


def test_another_file_is_refused_in_a_line(open_page, tmp_path):
    (tmp_path / "other.json").write_text('{"format": "eagley-bench"}')
    page = opened(open_page, "Sweeps")
    upload(page, tmp_path / "other.json")
    expect(page.get_by_text("other.json is not the result of a sweep")).to_be_visible()


def test_the_serving_model_follows_its_controls(open_page):
    page = opened(open_page, "Serving")
    plot = page.locator("#serving .viewer-plot")
    expect(plot).to_have_attribute("aria-label", re.compile("Llama-3.1-8B on H100"))
    choose(page, "Device", "L4")
    expect(plot).to_have_attribute("aria-label", re.compile("Llama-3.1-8B on L4"))
