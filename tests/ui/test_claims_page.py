"""Claims, theory and tour in a real browser."""

import pytest
from sample_traces import sample_traces

from components.claims.statements import CLAIMS
from components.figures.theory import Setting, speed_curves, token_curves
from components.selection import Comparison
from components.stations import stations

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)

STATIONS = stations(Comparison("sky", sample_traces()))
PLACE = "(method) => eagley.place(method)"


def opened(open_page, **options):
    page = open_page(**options)
    page.wait_for_selector(".token.selected")
    return page


def toured(open_page, **options):
    page = opened(open_page, **options)
    page.get_by_role("button", name="Take the tour").click()
    return page


def is_at(page, station: dict) -> None:
    """The card says it, the selection is there, and the ring is around what is pointed at."""
    expect(page.locator(".guide h2")).to_have_text(station["title"])
    expect(page.locator(".guide p")).to_have_text(station["text"])
    at = station["at"]
    place = page.evaluate(PLACE, at["method"])
    assert (place["step"], place["node"]) == (at["step"], at["node"])
    expect(page.locator(".halo")).to_be_visible()


def test_the_tour_goes_from_station_to_station_by_keys(open_page):
    page = toured(open_page)
    for station in STATIONS:
        is_at(page, station)
        page.keyboard.press("ArrowRight")
    is_at(page, STATIONS[-1])
    page.keyboard.press("ArrowLeft")
    is_at(page, STATIONS[-2])
    page.keyboard.press("Escape")
    expect(page.locator(".guide")).to_be_hidden()
    expect(page.locator(".halo")).to_be_hidden()
    expect(page.get_by_role("button", name="Take the tour")).to_be_focused()


def test_the_ring_is_around_the_node(open_page):
    page = toured(open_page)
    index = next(i for i, one in enumerate(STATIONS) if ".ring" in one["show"])
    for _ in range(index):
        page.locator(".guide .next").click()
    is_at(page, STATIONS[index])
    apart = """(show) => {
      const middle = (node) => {
        const { left, width, top, height } = node.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
      };
      const [a, b] = [show, '.halo'].map((name) => middle(document.querySelector(name)));
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    }"""
    page.wait_for_function(f"(show) => ({apart})(show) < 2", arg=STATIONS[index]["show"])


def test_an_exported_file_has_its_tour(open_export):
    page = toured(open_export)
    for station in STATIONS:
        is_at(page, station)
        page.keyboard.press("ArrowRight")


def test_the_last_station_ends_the_tour(open_page):
    page = toured(open_page)
    for _ in STATIONS:
        page.locator(".guide .next").click()
    expect(page.locator(".guide")).to_be_hidden()


def test_the_card_fits_a_phone(open_page):
    page = toured(open_page, width=390, height=844)
    box = page.locator(".guide").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 844


@pytest.fixture(params=["page", "file"])
def either(request):
    """The page, and an exported file without the network."""
    name = "open_page" if request.param == "page" else "open_export"
    return request.getfixturevalue(name)


def test_sliders_tell_what_python_computes(either):
    page = opened(either)
    page.get_by_role("tab", name="Theory").click()
    told, inputs = page.locator(".theory .told"), page.locator(".theory input")
    for slider, value in zip(inputs.all(), ("0.7", "5", "0.1", "0.02", "0.25"), strict=True):
        slider.fill(value)
    at = Setting(alpha=0.7, draft=0.1, row=0.02, beta=0.25)
    tokens, speeds = token_curves(at), speed_curves(at)
    expect(told).to_contain_text(
        f"5 nodes: a chain commits {tokens['chain'][4]:.2f} tokens per step, the best tree "
        f"{tokens['tree'][4]:.2f}."
    )
    expect(told).to_contain_text(f"with β {speeds['seed_eagley'][4]:.2f}")
    best = max(speeds["tree"])
    expect(told).to_contain_text(f"would take {speeds['tree'].index(best) + 1} nodes")
    page.get_by_role("button", name="As measured").click()
    expect(told).to_contain_text("8 nodes")


def test_every_claim_has_a_card_and_a_verdict(open_page):
    page = opened(open_page)
    page.get_by_role("tab", name="Claims").click()
    expect(page.locator(".claim h3")).to_have_count(len(CLAIMS))
    expect(page.locator(".claim .badge")).to_have_count(len(CLAIMS))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
