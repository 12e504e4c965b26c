"""Every chart by name, with its table."""

import json

import numpy as np
import pandas as pd
import pytest

from components.charts import CHARTS, chart
from components.plain_table import plain_table
from components.selection import Comparison


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_plain_data_and_describes_itself(sample, name):
    drawn = chart(Comparison("sky", sample.traces, key="k"), name)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert drawn["figure"] is None or drawn["figure"]["layout"]["meta"]["alt"]
    assert all(len(row) == len(drawn["table"]["columns"]) for row in drawn["table"]["rows"])


@pytest.mark.parametrize("lanes", [["vanilla"], ["eagle"], ["vanilla", "eagley"]])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_stands_lanes_that_were_not_run(sample, name, lanes):
    some = sample.only(lanes)
    drawn = chart(some, name)
    side = {"eagle": 0, "eagley": 1}.get(name.rpartition("-")[2])
    if side is not None and some.trees[side] is None:
        assert drawn["figure"] is None


def test_charts_are_known_by_their_own_names():
    assert all(name == found.name for name, found in CHARTS.items())
    with pytest.raises(ValueError, match="no chart 'pie'"):
        chart(None, "pie")


def test_a_table_says_null_for_what_is_missing():
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": ["x", None]})
    assert plain_table(frame) == {"columns": ["a", "b"], "rows": [[1.5, "x"], [None, None]]}
    assert plain_table(frame[:0])["rows"] == []
