"""What the panels show, without a browser."""

import pytest
from fake_live import FakeLive

from app import arguments, build_app
from components.live_run import Frame, Settings
from components.old_navigator import navigation, standing
from components.old_tokens import token_list
from components.panels import charts, lanes, opening, steps, trees
from components.panels.live import EXAMPLES, OFF, blank, streamed_lane, why_off
from components.runs import recorded
from components.selection import Comparison, Selection, span, starts
from eagley_core.trace_file import save_traces


@pytest.fixture
def runs_dir(tmp_path, sample):
    save_traces(tmp_path / "1-chat_sky.json.gz", sample.traces)
    return tmp_path


def test_every_piece_of_the_output_is_a_token(sample):
    for trace in sample.traces:
        tokens = token_list(trace)["tokens"]
        assert "".join(text for text, *_ in tokens) == trace.text
        assert [source for _, source, _ in tokens] == [token.source for token in trace.emitted]


def test_the_selected_token_is_marked_in_every_lane(sample):
    for update, trace in zip(lanes.moved(sample, Selection(30)), sample.traces, strict=True):
        step = trace.emitted[30].step
        assert update["at"] == {"selected": 30, "span": list(span(trace, step))}


def test_a_lane_that_was_not_run_says_so(sample):
    alone = Comparison("alone", sample.traces[2:])
    text, numbers, *_ = lanes.opened(alone, Selection(0))
    assert text["value"]["empty"] == lanes.NOT_RUN
    assert numbers["rows"] == []
    head, figure, _, table = trees.moved(alone, Selection(5))[:4]
    assert head["note"] == "This lane was not run."
    assert figure is None
    assert table.empty


def test_a_lane_that_ended_earlier_says_so(sample, tiny):
    both = Comparison("both", (sample.lanes["eagle"], tiny))
    head = trees.moved(both, Selection(40))[4]
    assert head["note"] == "The lane ended before this token."


def test_both_trees_show_the_step_of_the_selected_token(sample):
    parts = trees.moved(sample, Selection(30))
    for method, head in (("eagle", parts[0]), ("eagley", parts[4])):
        step = sample.lanes[method].emitted[30].step
        assert head["title"] == f"{sample.lanes[method].label}, step {step}"


def test_a_click_on_a_node_selects_it(sample):
    selection = trees.picked("eagle", sample, Selection(30), {"custom": 0})
    assert (selection.method, selection.node) == ("eagle", 0)
    assert trees.picked("eagle", sample, selection, {"custom": None}) == selection


def test_a_click_on_a_token_selects_its_position(sample):
    assert lanes.picked("eagle", sample, Selection(3), {"position": 9}) == Selection(9, "eagle")


@pytest.mark.parametrize(
    ("pick", "data"),
    [
        (charts.picked_step, {"custom": ["eagle", 7]}),
        (charts.picked_level, {"meta": {"pick": {"method": "eagle"}}, "x": 7, "y": 1}),
        (charts.picked_row, {"meta": {"pick": {"method": "eagle"}}, "x": 40, "y": 7}),
    ],
)
def test_a_click_in_a_chart_selects_its_step(sample, pick, data):
    selection = pick(sample, Selection(0), data)
    assert selection == Selection(starts(sample.lanes["eagle"])[7], "eagle")


def test_the_navigator_knows_the_steps_of_both_lanes(sample):
    value = navigation(sample)
    assert [lane["method"] for lane in value["lanes"]] == ["eagle", "eagley"]
    assert value["length"] == 100
    at = standing(sample, Selection(30))
    assert at["steps"].startswith("EAGLE step ")
    assert steps.picked(sample, Selection(0), {"position": 400, "method": "eagle"}).position == 99


@pytest.mark.parametrize("panel", [lanes, steps, trees, charts])
def test_a_vanilla_run_alone_can_be_walked(sample, panel):
    alone = Comparison("alone", sample.traces[:1])
    assert navigation(alone)["lanes"][0]["method"] == "vanilla"
    assert panel.moved(alone, Selection(3))


def test_own_comparisons_lead_the_picker_and_can_be_found(runs_dir, sample):
    runs = recorded(runs_dir)
    own = opening.kept((), sample)
    (label, key), recorded_entry = opening.choices(runs, own)
    assert label == "Your run 1: sky"
    assert opening.find(key, runs, own) == (sample, "")
    assert opening.find(recorded_entry[1], runs, own)[0].name == "Chat: sky"


def test_a_broken_file_is_one_line(tmp_path):
    (tmp_path / "bad.json.gz").write_bytes(b"no gzip")
    comparison, problem = opening.read(str(tmp_path / "bad.json.gz"))
    assert comparison is None
    assert problem == "bad.json.gz is not a trace file (not gzip)"


def test_a_saved_comparison_can_be_opened_again(sample):
    comparison, _ = opening.read(opening.saved(sample))
    assert [trace.pieces for trace in comparison.traces] == [t.pieces for t in sample.traces]


def test_why_live_runs_are_off():
    assert why_off(None) == OFF
    assert why_off(FakeLive("no model")) == "no model"
    assert why_off(FakeLive()) is None


def test_lanes_wait_for_their_turn():
    texts = blank(Settings("x", ["eagle"], 0, 0, 8))
    assert texts["eagle"]["empty"] == "Waits for its turn."
    assert texts["vanilla"]["empty"] == "Not run."
    assert streamed_lane(Frame({}, "eagle", (["a", "draft", 0],)))["tokens"] == [["a", "draft", 0]]


def test_examples_are_plain_text():
    assert all(text and "`" not in text for text in EXAMPLES.values())


def test_the_page_is_built_with_and_without_runs(runs_dir, tmp_path):
    assert build_app(runs_dir, None).blocks
    empty = tmp_path / "empty"
    empty.mkdir()
    assert build_app(empty, FakeLive()).blocks


def test_the_page_s_config_is_plain_data(runs_dir):
    """gr.HTML answers unknown attributes with events, which must not get into the page."""
    for component in build_app(runs_dir, None).config["components"]:
        odd = {k for k, v in component["props"].items() if callable(v)} - {"delete_callback"}
        assert not odd, (component["type"], odd)


def test_arguments_have_defaults(monkeypatch):
    monkeypatch.setenv("PORT", "7001")
    chosen = arguments(["--no-live"])
    assert (chosen.port, chosen.host, chosen.no_live) == (7001, None, True)
