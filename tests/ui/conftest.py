"""One server with a pretend engine, one browser; skipped where there is no Chromium."""

import shutil

import pytest
from fake_live import FakeLive
from sample_traces import WORDS, sample_traces

from app import LAUNCH, build_app, styles
from components.charts import CHARTS
from components.selection import Comparison
from components.static_page import static_page
from eagley_core.trace_file import save_traces

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 15_000  # milliseconds: a machine may be busy
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


@pytest.fixture(scope="session")
def chromium():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    sync_api.expect.set_options(timeout=PATIENCE)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found: {', '.join(BROWSERS)}")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    save_traces(folder / "1-chat_why-the-sky-is-blue.json.gz", sample_traces())
    save_traces(folder / "2-short_a-first-sentence.json.gz", sample_traces(WORDS[:14], 3))
    app = build_app(folder, FakeLive(pause=0.08))
    _, url, _ = app.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **LAUNCH, **styles()
    )
    yield url
    app.close()


@pytest.fixture
def open_page(chromium, address):
    """Opens the page; afterwards the console must have been free of errors."""
    problems, contexts = [], []

    def open_page(path="", *, width=1440, height=1000, theme="light", script="", **more):
        context = chromium.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{address}{path}{'&' if '?' in path else '?'}__theme={theme}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def export(tmp_path_factory):
    """Writes a comparison as one file; gives its address."""
    folder = tmp_path_factory.mktemp("export")

    def export(comparison, name="run"):
        path = folder / f"{name}.html"
        path.write_text(static_page(comparison, CHARTS), "utf-8")
        return path.as_uri()

    return export


@pytest.fixture(scope="session")
def sample_export(export):
    return export(Comparison("Why the sky is blue", sample_traces(), key="sky"))


@pytest.fixture
def open_export(chromium, sample_export):
    """Opens an exported file with the network off; the console must stay free of errors."""
    problems, contexts = [], []

    def open_export(address=None, width=1440, scheme="light", tail=""):
        viewport = {"width": width, "height": 900}
        context = chromium.new_context(viewport=viewport, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: problems.append(r.url) if r.url.startswith("http") else None)
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((address or sample_export) + tail)
        page.wait_for_selector(".tree-plot .ring")
        return page

    yield open_export
    for context in contexts:
        context.close()
    assert problems == []
