"""Long runs: a thousand steps, four thousand tokens, and what a live run sends to the browser."""

import logging
import re
import time
from dataclasses import replace
from itertools import cycle, islice

import pytest
from fake_live import FakeLive
from sample_traces import WORDS, sample_trace

from app import LAUNCH, build_app, styles
from eagley_core.trace_file import save_traces

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = pytest.mark.browser
LOG = logging.getLogger(__name__)  # seen with --log-cli-level=INFO
LIBRARIES = re.compile(r"/assets/|plotly\.min|/static/|/theme\.css|fonts|\.woff")
MOST_BYTES = 1_500_000  # of a live run of 200 steps, libraries left out
STEPS = 200
PATIENCE = 60_000  # milliseconds: a machine may be busy
SELECTED = re.compile(r"\bselected\b")


def words(count):
    return tuple(islice(cycle(WORDS), count))


class LongLive(FakeLive):
    """As many tokens as are asked for."""

    def __init__(self):
        super().__init__(pause=0.005)

    def replayed(self, prompt, config):
        made = sample_trace(config.method, words(config.max_new_tokens))
        return replace(made, prompt=prompt, name=prompt, config=config)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for number, (name, count) in enumerate({"short": 20, "steps": 1000, "tokens": 4000}.items()):
        lanes = ("vanilla", "eagley") if name == "steps" else ("eagle", "eagley")
        traces = [sample_trace(method, words(count)) for method in lanes]
        save_traces(folder / f"{number}-large_{name}.json.gz", traces)
    return folder


@pytest.fixture(scope="module")
def large(folder):
    app = build_app(folder, LongLive())
    _, url, _ = app.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **LAUNCH, **styles()
    )
    yield url
    app.close()


class Wire:
    """Bytes that come to the page, by what they are for."""

    def __init__(self, page):
        self._urls, self.received = {}, {}
        self._session = page.context.new_cdp_session(page)
        self._session.send("Network.enable")
        self._session.on("Network.requestWillBeSent", self._sent)
        self._session.on("Network.dataReceived", self._came)

    def _sent(self, event):
        self._urls[event["requestId"]] = event["request"]["url"]

    def _came(self, event):
        url = self._urls.get(event["requestId"], "")
        kind = "library" if LIBRARIES.search(url) else url.split("?")[0].rsplit("/", 2)[-2:]
        kind = kind if isinstance(kind, str) else "/".join(kind)
        self.received[kind] = self.received.get(kind, 0) + event["dataLength"]

    def __str__(self):
        return ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.received.items()))

    @property
    def own(self):
        return sum(count for kind, count in self.received.items() if kind != "library")


@pytest.fixture
def page(chromium, large):
    problems = []
    page = chromium.new_page(viewport={"width": 1440, "height": 1000})
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.wire = Wire(page)
    page.goto(large)
    expect(page.locator("#lane-eagley .token")).to_have_count(20)
    page.wait_for_timeout(1_500)  # what the page fetches when it is idle
    yield page
    page.close()
    assert problems == []


@pytest.mark.parametrize(("name", "count"), [("steps", 1000), ("tokens", 4000)])
def test_a_long_run_opens_whole_and_can_be_walked_to_its_end(page, name, count):
    tokens = page.locator("#lane-eagley .token")
    page.locator("#picker input").click()
    begun = time.perf_counter()
    page.get_by_role("option", name=name).click()
    expect(tokens).to_have_count(count, timeout=PATIENCE)
    opened = time.perf_counter()
    tokens.nth(3).click()
    page.keyboard.press("End")
    expect(tokens.nth(count - 1)).to_have_class(SELECTED, timeout=PATIENCE)
    ended = time.perf_counter()
    page.keyboard.press("ArrowLeft")
    expect(tokens.nth(count - 1)).not_to_have_class(SELECTED, timeout=PATIENCE)
    LOG.info("%s: opened in %.2f s, to the end in %.2f s", name, opened - begun, ended - opened)


def test_a_live_run_of_200_steps_sends_little(page):
    LOG.info("the page: %s", page.wire)
    page.wire.received.clear()
    page.locator("#live button").first.click()
    page.locator("#prompt textarea").fill("a long prompt")
    page.locator("#live").get_by_label("EAGLE", exact=True).uncheck()
    page.get_by_label("New tokens at most").first.fill(str(STEPS))
    page.locator("#run").click()
    expect(page.locator("#lane-eagley .token")).to_have_count(STEPS, timeout=PATIENCE)
    expect(page.locator("#about")).to_contain_text("a long prompt", timeout=PATIENCE)
    page.wait_for_timeout(1_500)
    sent = page.wire.own
    LOG.info("%d steps: %d bytes, %d a step; %s", STEPS, sent, sent // STEPS, page.wire)
    assert 0 < sent < MOST_BYTES
