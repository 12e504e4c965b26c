"""No time without the machine that it was taken on."""

from dataclasses import replace

import pytest

from components.charts import CHARTS, chart
from components.outcome import about, hardware
from components.panels.lanes import heading
from components.selection import Comparison
from components.static_page import static_page


@pytest.fixture
def lent(sample):
    """The sample runs, on a device that was lent for each."""
    made = replace(sample.traces[0].environment, device="H200, ZeroGPU", lent=True)
    return Comparison("lent", tuple(replace(t, environment=made) for t in sample.traces), key="l")


def test_every_chart_names_it(sample, lent):
    line = hardware(sample.traces[0])
    assert line.startswith("cpu, bfloat16, 2 threads")
    assert {chart(sample, name)["machine"] for name in CHARTS} == {line}
    assert "not comparable" in chart(lent, "timeline")["machine"]


def test_two_machines_are_both_named(sample, lent):
    both = Comparison("both", (sample.traces[0], lent.traces[1]), key="b")
    assert chart(both, "timeline")["machine"].count(" / ") == 1


def test_every_lane_names_it(lent):
    for lane in lent.lanes:
        assert "H200, ZeroGPU" in heading(lent, lane)
        assert "not comparable" in heading(lent, lane)
        assert "not comparable" in about(lent.lanes[lane])


def test_an_exported_file_names_it(lent):
    assert static_page(lent, {}).count('<p class="how">H200, ZeroGPU') == len(lent.lanes)
