"""Model text is text: on the page, in a live run, in messages, and in the exported file."""

import gzip
import json

import pytest
from hostile_traces import HOSTILE, LONG, NAME, SEEN, HostileLive, hostile_traces

from app import LAUNCH, build_app, styles
from components.charts import CHARTS
from components.selection import Comparison
from components.static_page import static_page
from eagley_core.trace_file import save_traces

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = pytest.mark.browser
FILE = "1-chat_<img src=x onerror=window.hacked='file'>.json.gz"
INJECTED = "img[src='x'], svg[onload], a[href^='javascript']"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / FILE
    save_traces(path, hostile_traces())
    return path


@pytest.fixture(scope="module")
def hostile_address(file):
    app = build_app(file.parent, HostileLive(pause=0.02))
    _, url, _ = app.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **LAUNCH, **styles()
    )
    yield url
    app.close()


@pytest.fixture
def page(chromium):
    problems = []
    page = chromium.new_page(viewport={"width": 1440, "height": 1000})
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    yield page
    page.close()
    assert problems == []


def calm(page):
    """Nothing of the texts has run, none became an element, and no line is wider than the page."""
    assert page.evaluate("window.hacked") is None
    assert page.locator(INJECTED).count() == 0
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]


def shown(page):
    """The lane has the hostile tokens as they are."""
    text = page.locator("#lane-eagley").evaluate("lane => lane.textContent")
    assert [token for token in SEEN if token not in text] == []
    assert LONG in text


def walk(page, steps=24):
    """Step through the run, hover what is drawn, and open every tab."""
    page.locator("#lane-eagley .token").nth(3).click()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    calm(page)
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_timeout(300)
        for point in page.locator(".nsewdrag:visible").all()[:1]:
            point.hover()
            page.wait_for_timeout(100)
    calm(page)


def test_a_recorded_run_shows_its_texts_as_text(page, hostile_address):
    page.goto(hostile_address)
    expect(page.locator("#lane-eagley .token").first).to_be_visible()
    shown(page)
    walk(page)


def test_a_narrow_page_wraps_them(page, hostile_address):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(hostile_address)
    expect(page.locator("#lane-eagley .token").first).to_be_visible()
    calm(page)


def test_a_live_run_shows_its_texts_as_text(page, hostile_address):
    page.goto(hostile_address)
    page.locator("#live button").first.click()
    page.locator("#prompt textarea").fill("".join(HOSTILE[:9]))
    page.locator("#run").click()
    expect(page.locator("#stop")).to_be_enabled()
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    page.wait_for_timeout(500)
    shown(page)
    calm(page)


def test_a_message_about_a_bad_file_is_text(page, hostile_address, file, tmp_path):
    document = json.loads(gzip.decompress(file.read_bytes()))
    document["traces"][0]["config"]["method"] = NAME
    bad = tmp_path / "<img src=x onerror=window.hacked='upload'>.json.gz"
    bad.write_bytes(gzip.compress(json.dumps(document).encode()))
    page.goto(hostile_address)
    expect(page.locator("#lane-eagley .token").first).to_be_visible()
    page.locator("#files button").first.click()
    page.locator("#files input[type=file]").first.set_input_files(bad)
    expect(page.get_by_text("is damaged")).to_be_visible()
    calm(page)


def test_an_exported_file_shows_its_texts_as_text(page, tmp_path):
    comparison = Comparison(NAME, hostile_traces(), key="hostile")
    file = tmp_path / "run.html"
    file.write_text(static_page(comparison, CHARTS), encoding="utf-8")
    page.goto(file.as_uri())
    expect(page.locator("#lane-eagley .token").first).to_be_visible()
    shown(page)
    walk(page)
