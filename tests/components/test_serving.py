"""What the browser asks for, as it asks."""

import json

import pytest

from components.charts import chart as drawn
from components.figures.draft_tree import extent
from components.library import GONE, Library
from components.packets import packet
from components.runs import recorded
from components.serving import MOST_STEPS, server_functions
from components.shelf import Shelf
from eagley_core.trace_file import save_traces


@pytest.fixture
def library(tmp_path, sample):
    save_traces(tmp_path / "sky.json.gz", sample.traces)
    return Library(recorded(tmp_path), Shelf(most=1))


@pytest.fixture
def ask(library):
    functions = {function.__name__: function for function in server_functions(library)}
    return lambda name, *question: json.loads(functions[name](list(question)).body)


def test_packets_are_those_of_the_steps_asked_for(ask, library):
    run = library.find("sky")
    eagle, eagley = run.lanes["eagle"], run.lanes["eagley"]
    room = extent([eagle, eagley])
    assert ask("packets", "sky", "eagley", 3, 5) == [packet(eagley, i, room, eagle) for i in (3, 4)]
    assert ask("packets", "sky", "vanilla", 0, 1)[0]["only"] == []


def test_packets_end_with_the_lane_and_are_bounded(ask, library):
    count = len(library.find("sky").lanes["vanilla"].steps)
    assert len(ask("packets", "sky", "vanilla", count - 2, count + 9)) == 2
    assert len(ask("packets", "sky", "vanilla", 0, 10**9)) == min(MOST_STEPS, count)


def test_a_chart_by_name(ask, library):
    assert ask("chart", "sky", "timeline") == drawn(library.find("sky"), "timeline")


def test_another_rule_judges_a_step(ask):
    found = ask("judge", "sky", "eagley", 3, "top-k:3")
    assert found["note"].startswith("Under top-k:3.")
    assert ask("judge", "sky", "eagley", 3, "") == ask("packets", "sky", "eagley", 3, 4)[0]


def test_a_rule_that_is_none_leaves_the_step_as_it_was_and_says_so(ask):
    recorded, asked = (
        ask("packets", "sky", "eagley", 3, 4)[0],
        ask("judge", "sky", "eagley", 3, "sometimes"),
    )
    assert asked["note"].startswith("As recorded: rule must be one of")
    assert asked["figure"] == recorded["figure"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (("judge", "sky", "eagley", 10**9, "exact"), "index out of range"),
        (("chart", "sky", "pie"), "there is no chart 'pie'"),
        (("packets", "sky", "medusa", 0, 4), "there is no medusa here"),
        (("packets", "sky", "eagley", "0", {}), "slice indices must be"),
        (("packets", "sky"), "not enough values"),
        (("packets", None, "eagley", 0, 4), "There is no run of this name here."),
    ],
)
def test_what_cannot_be_answered_is_one_line(ask, question, told):
    answer = ask(*question)
    assert list(answer) == ["error"]
    assert told in answer["error"]


def test_a_run_that_is_no_longer_kept_says_so(ask, library, sample):
    gone = library.shelf.put(sample)
    assert ask("packets", gone.key, "eagley", 0, 1)[0]["step"] == 0
    library.shelf.put(sample)
    assert ask("packets", gone.key, "eagley", 0, 1) == {"error": GONE}
    assert ask("judge", gone.key, "eagley", 1, "exact") == {"error": GONE}
