"""The text of an exported file."""

import gzip
import json
import re
from base64 import b64decode

import pytest
from sample_traces import WORDS, sample_traces

from components.charts import CHARTS, chart
from components.elements.viewer import PLOTLY_JS
from components.figures.draft_tree import extent
from components.packets import packet
from components.selection import Comparison
from components.static_page import static_page
from components.words import words

SHORT = Comparison("Tom & <b>", sample_traces(WORDS[:40]), key="short")
TIMELINE = {"timeline": CHARTS["timeline"]}


@pytest.fixture(scope="module")
def page() -> str:
    return static_page(SHORT, TIMELINE)


def blocks(page: str) -> dict[str, bytes]:
    """The unpacked content of the file's blocks."""
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([\w+/=]*)</script>', page)
    return {name: gzip.decompress(b64decode(text)) for name, text in found}


def test_every_step_of_every_lane_is_inside_once(page):
    found = blocks(page)
    for lane, trace in SHORT.lanes.items():
        names = [name for name in found if re.fullmatch(rf"packets-{lane}-\d+", name)]
        steps = [packet["step"] for name in names for packet in json.loads(found[name])]
        assert steps == list(range(len(trace.steps)))


def test_packets_and_charts_are_those_of_the_app(page):
    found = blocks(page)
    trees = [SHORT.lanes["eagle"], SHORT.lanes["eagley"]]
    wanted = packet(trees[1], 2, extent(trees), trees[0])
    assert json.loads(found["packets-eagley-0"])[2] == json.loads(json.dumps(wanted))
    assert json.loads(found["chart-timeline"]) == chart(SHORT, "timeline")
    assert found["plotly"] == PLOTLY_JS.read_bytes()


def test_nothing_is_fetched_and_no_path_of_this_machine_is_told(page):
    assert not re.search(r"<(script|img|iframe)[^>]*\bsrc=|<link\b|@import|url\(", page)
    assert str(PLOTLY_JS.parent).encode() not in b"".join([page.encode(), *blocks(page).values()])


def test_the_name_is_escaped(page):
    assert "<h1>Tom &amp; &lt;b&gt;</h1>" in page
    assert "Tom & <b>" not in page


def test_the_page_speaks_its_language():
    page = static_page(SHORT, TIMELINE, words("zh"))
    assert '<html lang="zh">' in page
    elements = json.loads(blocks(page)["elements"])
    said = next(e for e in elements if e["script"] == "copylink")["props"]["words"]
    assert said["Copy link"] == words("zh")("Copy link") != "Copy link"
