"""Runs come onto the page: from the picker, a file, an address; some lanes, or two runs at once."""

import re
from dataclasses import replace

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)
from sample_traces import PROMPT, WORDS, sample_traces  # noqa: E402
from seen import EAGLEY, pick_run, position_of, ready, settled  # noqa: E402

from eagley_core.trace_file import load_traces, save_traces  # noqa: E402

SHORT = "2-short_a-first-sentence"


def test_another_recorded_run_can_be_opened(open_page):
    page = open_page()
    ready(page)
    pick_run(page, "Short: a first sentence")
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    expect(page.locator(".status .place")).to_contain_text("of 14")
    page.wait_for_selector("#tree-eagley [data-node]")


def test_an_address_opens_its_run_and_its_selection(open_page):
    page = open_page(f"?trace={SHORT}&position=5&lane=eagle")
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    expect(page.locator(".status .place")).to_have_text("Token 5 of 14")
    expect(page.locator(".ruler.walked .name")).to_have_text("EAGLE")
    expect(page.get_by_label("Run", exact=True)).to_have_value("Short: a first sentence")


def test_a_copied_link_opens_the_same_view(open_page):
    page = open_page()
    ready(page)
    page.locator("#lane-eagle .token").nth(30).click()
    settled(page, 30)
    link = page.evaluate("eagley.address()")
    again = open_page(link[link.index("?") :].replace("&__theme=light", ""))
    settled(again, 30)
    expect(again.locator(".ruler.walked .name")).to_have_text("EAGLE")


def test_an_address_of_no_lane_walks_the_usual_one(open_page):
    page = open_page("?lane=nothing&position=9")
    ready(page)
    expect(page.locator(".status .place")).to_have_text(f"Token 9 of {len(WORDS)}")
    expect(page.locator(".ruler.walked .name")).to_have_text("EAGLEY")
    assert page.evaluate("eagley.selection.method") == "eagley"


def test_the_address_follows_to_another_run(open_page):
    page = open_page()
    ready(page)
    pick_run(page, "Short: a first sentence")
    page.wait_for_function(f"location.search.includes('trace={SHORT}')")
    page.reload()
    expect(page.locator("#lane-eagley .token")).to_have_count(14)


def test_other_lanes_of_a_run_keep_the_token(open_page):
    page = open_page()
    ready(page)
    page.locator("#lane-eagley .token").nth(30).click()
    settled(page, 30)
    page.locator("#lanes-shown").get_by_label("EAGLEY", exact=True).uncheck()
    expect(page.locator(".ruler .name")).to_have_text(["EAGLE"])
    expect(page.locator(".status .place")).to_have_text(f"Token 31 of {len(WORDS)}")
    expect(page.locator(".ruler.walked .name")).to_have_text("EAGLE")


def test_an_address_of_no_run_is_told_calmly_and_the_first_run_shows(open_page):
    page = open_page("?trace=nothing")
    expect(page.locator("#notice")).to_contain_text("There is no run of this name here.")
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))
    other = open_page("?trace=own-nothing")
    expect(other.locator("#notice")).to_contain_text("no longer kept")


def choose(page, path) -> None:
    page.get_by_role("button", name="Open, save, compare").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a trace").click()
    chooser.value.set_files(path)


@pytest.fixture
def other_run(tmp_path):
    """Another run of the sample's prompt."""
    path = tmp_path / "chat_again.json.gz"
    save_traces(path, sample_traces(seed=3))
    return path


def test_a_trace_can_be_opened_and_its_address_too(open_page, other_run):
    page = open_page()
    ready(page)
    choose(page, other_run)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('trace=own-')")
    own = page.evaluate("location.search")
    again = open_page(own.replace("&__theme=light", ""))
    expect(again.locator("#about")).to_contain_text(PROMPT)
    expect(again.locator(".status .place")).to_have_text(
        page.locator(".status .place").inner_text()
    )


def test_a_broken_trace_is_one_line_and_the_page_stays(open_page, tmp_path):
    page = open_page()
    ready(page)
    path = tmp_path / "broken.json.gz"
    path.write_bytes(b"nothing")
    choose(page, path)
    expect(page.get_by_text("broken.json.gz is not a trace file")).to_be_visible()
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))


def test_the_lanes_shown_can_be_chosen(open_page):
    page = open_page()
    ready(page)
    shown = page.locator("#lanes-shown")
    shown.get_by_label("EAGLE", exact=True).uncheck()
    expect(page.locator("#lane-eagle")).not_to_be_visible()
    expect(page.locator("#tree-eagle .tree-frame")).to_contain_text("This lane was not run.")
    expect(page.locator("#lane-eagley .token")).to_have_count(len(WORDS))
    expect(page.locator(".ruler .name")).to_have_text(["EAGLEY"])
    shown.get_by_label("EAGLE", exact=True).check()
    expect(page.locator("#lane-eagle .token")).to_have_count(len(WORDS))
    page.wait_for_selector("#tree-eagle [data-node]")


def test_two_runs_of_a_prompt_stand_side_by_side(open_page, other_run):
    page = open_page()
    ready(page)
    choose(page, other_run)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    beside(page, "Chat: why the sky is blue")
    expect(page.locator("#lane-eagley h2")).to_have_text("EAGLEY 1")
    expect(page.locator("#lane-eagley-2 h2")).to_have_text("EAGLEY 2")
    expect(page.locator("#lane-eagle")).not_to_be_visible()
    expect(page.locator(".ruler .name")).to_have_text(["EAGLEY 1", "EAGLEY 2"])
    page.locator("#lane-eagley-2 .token").nth(31).click()
    expect(page.locator("#lane-eagley .token.selected")).to_have_attribute("data-position", "31")
    title = page.locator("#tree-eagley .tree-title")
    expect(title).to_contain_text(f"step {EAGLEY.emitted[31].step}")


def beside(page, name: str) -> None:
    page.locator("#beside input").click()
    page.get_by_role("option", name=name).first.click()


def test_runs_of_different_prompts_are_refused_side_by_side(open_page, tmp_path):
    page = open_page()
    ready(page)
    path = tmp_path / "other.json.gz"
    save_traces(path, [_asked(trace) for trace in sample_traces(WORDS[:14], 3)])
    choose(page, path)
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    beside(page, "Chat: why the sky is blue")
    expect(page.get_by_text("The two runs have different prompts.").first).to_be_visible()
    expect(page.locator("#lane-eagley .token")).to_have_count(14)
    expect(page.locator("#beside input")).to_have_value("none")


def _asked(trace):
    return replace(trace, prompt="Something else", prompt_ids=(7, *trace.prompt_ids[1:]))


ENDINGS = {
    "trace": ".json.gz",
    "json": ".json",
    "csv": ".csv.zip",
    "html": ".html",
    "perfetto": ".perfetto.json",
}


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_run_can_be_saved(open_page, tmp_path, kind):
    page = open_page()
    ready(page)
    page.get_by_role("button", name="Open, save, compare").click()
    with page.expect_download() as download:
        page.locator(f".save-kind[data-kind={kind}]").click()
    assert download.value.suggested_filename == f"chat-why-the-sky-is-blue{ENDINGS[kind]}"
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.stat().st_size > 1000
    if kind == "trace":
        assert [t.pieces for t in load_traces(path)] == [t.pieces for t in sample_traces()]


def test_a_run_that_is_no_longer_kept_says_so_and_the_page_stays(open_page, other_run):
    page = open_page()
    ready(page)
    choose(page, other_run)
    expect(page.get_by_label("Run", exact=True)).to_have_value(re.compile("Your run 1"))
    page.evaluate("eagley.view.key = 'own-gone'; eagley.move({ position: 60 })")
    expect(page.locator("#tree-eagley .tree-frame")).to_contain_text("no longer kept")
    assert position_of(page) == 60
