"""Many at once: nobody sees another's run, and who leaves stops the engine."""

import re
import threading
import time

import pytest
from fake_live import FakeLive
from gradio_client import Client
from sample_traces import WORDS, sample_traces

from app import LAUNCH, build_app, styles
from eagley_core.trace_file import save_traces

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

VISITORS = 8
PAUSE = 0.05  # seconds of a pretend step


class CountingLive(FakeLive):
    """Remembers the runs that ended, and how far they had come."""

    def __init__(self) -> None:
        super().__init__(pause=PAUSE)
        self.steps: dict[str, int] = {}
        self.ended: dict[str, str] = {}
        self._alone = threading.Lock()

    def stream(self, prompt, config, cancelled):
        with self._alone:  # as the engine does
            for item in super().stream(prompt, config, cancelled):
                self.steps[prompt] = self.steps.get(prompt, 0) + 1
                self.ended[prompt] = getattr(item, "finish_reason", "")
                yield item


@pytest.fixture(scope="module")
def live():
    return CountingLive()


@pytest.fixture(scope="module")
def shared(live, tmp_path_factory):
    """A page with as many recorded runs as visitors, each of its own length."""
    folder = tmp_path_factory.mktemp("visitors")
    for number in range(VISITORS):
        traces = sample_traces(WORDS[: 20 + number], number)
        save_traces(folder / f"{number}-chat_run-{number}.json.gz", traces)
    app = build_app(folder, live)
    _, url, _ = app.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **LAUNCH, **styles()
    )
    yield url
    app.close()


@pytest.fixture
def visit(chromium, shared):
    """Opens the page as somebody new."""
    visits = []

    def visit():
        visits.append(chromium.new_context(viewport={"width": 1280, "height": 900}))
        page = visits[-1].new_page()
        page.goto(shared)
        return page

    yield visit
    for each in visits:
        each.close()


def tokens(page):
    return page.locator("#lane-eagley .token")


def pick(page, number):
    page.locator("#picker input").click()
    page.get_by_role("option", name=f"run {number}").click()


@pytest.mark.browser
def test_eight_visitors_each_keep_their_own_run(visit):
    pages = [visit() for _ in range(VISITORS)]
    for number, page in enumerate(pages):
        if number:
            pick(page, number)
    for number, page in enumerate(pages):
        expect(tokens(page)).to_have_count(20 + number)
    for number, page in enumerate(pages):
        tokens(page).nth(5 + number).click()
    for number, page in enumerate(pages):
        expect(page.locator("#lane-eagley .token.selected")).to_have_count(1)
        expect(tokens(page).nth(5 + number)).to_have_class(re.compile(r"\bselected\b"))


def run(page, prompt, length=64):
    if not page.locator("#prompt textarea").is_visible():
        page.locator("#live button").first.click()
    page.locator("#prompt textarea").fill(prompt)
    page.get_by_label("New tokens at most").first.fill(str(length))
    page.locator("#run").click()


@pytest.mark.browser
def test_two_live_runs_at_once_come_to_those_who_asked(visit):
    first, second, watcher = visit(), visit(), visit()
    run(first, "the first prompt", 16)
    run(second, "the second prompt", 16)
    for page, prompt in ((first, "the first prompt"), (second, "the second prompt")):
        expect(page.locator("#run")).to_be_enabled(timeout=90_000)
        expect(page.locator("#about")).to_contain_text(prompt)
    expect(watcher.locator("#about")).not_to_contain_text("prompt")
    expect(tokens(watcher)).to_have_count(20)


def settled(found, seconds=10):
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not found() and time.monotonic() < end:
        time.sleep(PAUSE / 2)
    return found()


@pytest.mark.browser
def test_who_closes_the_page_frees_the_engine_within_a_step(visit, live):
    page = visit()
    run(page, "closed")
    assert settled(lambda: live.steps.get("closed", 0) >= 3)
    page.context.close()
    assert settled(lambda: live.ended["closed"] == "cancelled")
    steps = live.steps["closed"]
    assert steps < len(sample_traces()[0].steps)
    time.sleep(5 * PAUSE)
    assert live.steps["closed"] == steps


def test_a_program_that_leaves_frees_the_engine_within_a_step(shared, live):
    client = Client(shared, verbose=False)
    job = client.submit("left", ["vanilla"], 64, api_name="/run")
    assert settled(lambda: live.steps.get("left", 0) >= 3)
    job.cancel()
    client.close()
    assert settled(lambda: live.ended["left"] == "cancelled")
    assert live.steps["left"] < 64
