"""An exported file: the app's own view, offline."""

import json
import re
from dataclasses import replace

import pytest
from sample_traces import WORDS, sample_traces

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)

from components.selection import Comparison  # noqa: E402
from components.view import view  # noqa: E402

SKY = Comparison("Why the sky is blue", sample_traces(), key="sky")
HOSTILE = (
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
    "${window.broken = 3}{{broken}}`<!--"
)


def hostile_traces():
    """The sample runs, with markup and code for every token, prompt and name."""
    return tuple(
        replace(
            trace,
            prompt=HOSTILE,
            target=HOSTILE,
            pieces=(HOSTILE,) * len(trace.pieces),
            texts=tuple((token, HOSTILE) for token, _ in trace.texts),
        )
        for trace in sample_traces(WORDS[:24])
    )


def test_the_file_shows_the_view_that_the_app_shows(open_export):
    page = open_export()
    shown = page.evaluate("eagley.view")
    assert shown == json.loads(json.dumps(view(SKY)))
    for lane, trace in SKY.lanes.items():
        tokens = page.locator(f"#lane-{lane} .token")
        expect(tokens).to_have_count(len(trace.output_ids))
        expect(page.locator(f"#lane-{lane} .token.selected")).to_have_count(1)
    expect(page.locator(".status .place")).to_have_text(
        f"Token {shown['opening']['position'] + 1} of {len(WORDS)}"
    )


def test_an_address_behind_the_hash_is_restored(open_export):
    page = open_export(tail="#position=41&lane=eagle&lock=step")
    expect(page.locator("#lane-eagle .token.selected")).to_have_attribute("data-position", "40")
    assert page.evaluate("eagley.selection.lock") == "step"
    page.keyboard.press("ArrowRight")
    position = page.evaluate("eagley.selection.position")
    address = page.evaluate("eagley.address()")
    assert re.search(rf"#position={position + 1}&lane=eagle&lock=step$", address)


def test_a_number_s_definition_unfolds_under_it(open_export):
    page = open_export()
    page.locator("#lane-eagley summary").click()
    name = page.locator("#lane-eagley").get_by_role("button", name="Acceptance rate")
    definition = page.locator("#lane-eagley .definition", has_text="Tree levels accepted")
    expect(definition).to_be_hidden()
    name.click()
    expect(definition).to_be_visible()
    name.press("Enter")
    expect(definition).to_be_hidden()


def test_a_link_inside_the_open_file_moves_the_selection(open_export):
    page = open_export()
    page.evaluate("location.hash = 'position=12&rule=top-k:3'")
    expect(page.locator("#lane-vanilla .token.selected")).to_have_attribute("data-position", "11")
    assert page.evaluate("eagley.selection.rule") is None  # there is nobody to ask in a file


def test_every_packet_of_the_file_is_a_step(open_export):
    page = open_export()
    for lane, trace in SKY.lanes.items():
        last = len(trace.steps) - 1
        found = page.evaluate(
            "([lane, step]) => eagley.packet(lane, step).then((p) => [p.step, p.cards.length])",
            [lane, last],
        )
        assert found == [last, len(trace.steps[last].nodes) + 2]


def test_text_of_a_model_stays_text(open_export, export):
    traces = hostile_traces()
    page = open_export(export(Comparison(HOSTILE, traces, key="h"), "hostile"))
    first = page.locator("#lane-eagley .token").first
    expect(first).to_have_text(HOSTILE)
    expect(page.locator("#about")).to_contain_text(HOSTILE)
    first.hover()
    expect(page.locator(".eagley-hint")).to_contain_text("<img src=x")
    page.locator("#tree-1 summary").click()
    expect(page.locator("#tree-1 td").first).to_be_visible()
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0


def test_charts_are_drawn_without_a_network_and_pick_steps(open_export):
    page = open_export()
    plot = page.locator("#timeline .chart-plot")
    page.locator("#timeline .chart-frame").scroll_into_view_if_needed()
    page.wait_for_selector("#timeline .main-svg")
    expect(plot).to_have_attribute("aria-label", re.compile("Timeline"))
    table = page.locator(".chart").first.locator(".table-fold")
    table.locator("summary").click()
    rows = sum(len(trace.steps) for trace in SKY.traces)
    expect(table.locator(".count")).to_have_text(f"{rows} rows")


def test_a_click_on_a_chart_selects_its_step(open_export):
    page = open_export()
    page.get_by_role("tab", name="Acceptance").click()
    page.locator("#acceptance-eagley").scroll_into_view_if_needed()
    page.wait_for_selector("#acceptance-eagley .nsewdrag")
    page.wait_for_function("document.querySelector('#acceptance-eagley .chart-plot').calcdata")
    spot = page.locator("#acceptance-eagley .chart-plot").evaluate(
        """(plot) => {
          const { xaxis, yaxis } = plot._fullLayout;
          const box = plot.getBoundingClientRect();
          return [box.left + xaxis._offset + xaxis.c2p(3), box.top + yaxis._offset + yaxis.c2p(1)];
        }"""
    )
    page.mouse.move(*spot)
    page.mouse.click(*spot)
    expect(page.locator("#tree-1 .tree-title")).to_have_text("EAGLEY, step 3")
    expect(page.locator("#acceptance-eagley .chart-lane")).to_have_text("EAGLEY")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_file_fits_in_light_and_dark(open_export, width, scheme):
    page = open_export(width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("eagley.isDark()") == (scheme == "dark")
    page.locator("#theme").click()
    assert page.evaluate("eagley.isDark()") == (scheme == "light")
