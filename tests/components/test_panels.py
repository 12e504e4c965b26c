"""What the panels show, without a browser."""

import pytest
from fake_live import FakeLive

from app import arguments, build_app
from components.elements.tokens import token_list
from components.live_run import Frame, Settings
from components.panels import lanes, opening, steps, trees
from components.panels.lanes import SLOTS
from components.panels.live import EXAMPLES, OFF, blank, streamed_lane, why_off
from components.runs import recorded
from components.selection import Comparison
from components.view import view
from components.words import ENGLISH, words
from eagley_core.trace_file import save_traces


@pytest.fixture
def runs_dir(tmp_path, sample):
    save_traces(tmp_path / "1-chat_sky.json.gz", sample.traces)
    return tmp_path


def by_lane(comparison, say=ENGLISH):
    """What each lane shows: heading, text, numbers."""
    parts = lanes.opened(comparison, say)
    return {slot: parts[3 * i : 3 * i + 3] for i, slot in enumerate(SLOTS)}


def test_every_piece_of_the_output_is_a_token(sample):
    for trace in sample.traces:
        tokens = token_list(trace)["tokens"]
        assert "".join(text for text, *_ in tokens) == trace.text
        assert [source for _, source, _ in tokens] == [token.source for token in trace.emitted]


def test_only_the_lanes_of_the_run_have_text(sample):
    """The others are empty, and so folded away."""
    filled = {slot for slot, (_, text, _) in by_lane(sample).items() if text["tokens"]}
    assert filled == {"vanilla", "eagle", "eagley"}
    some = by_lane(sample.only(["eagley"]))
    assert [slot for slot, (_, text, _) in some.items() if text["tokens"]] == ["eagley"]
    assert some["eagle"][1]["empty"] == ""
    assert some["eagle"][2]["rows"] == []


def test_a_lane_says_what_it_is_and_how_fast_it_was(sample):
    head, text, figures = by_lane(sample)["eagley"]
    assert "<h2>EAGLEY</h2>" in head
    assert text == token_list(sample.lanes["eagley"])
    assert "tokens/s" in figures["title"]
    assert figures["note"].startswith("Identical to vanilla, token by token.")
    assert len(figures["rows"]) > 6


def test_two_runs_of_a_method_have_lanes_that_say_what_differs(sample):
    first = sample.lanes["eagley"]
    both = by_lane(Comparison("twice", (first, first)))
    assert "<h2>EAGLEY 1</h2>" in both["eagley"][0]
    assert "<h2>EAGLEY 2</h2>" in both["eagley-2"][0]


def test_headings_hold_no_markup_of_a_run(sample):
    trace = sample.lanes["eagley"]
    odd = Comparison("odd", (trace, trace), names=("eagley", "eagley-2"))
    head = lanes.heading(odd, "eagley-2")
    assert head.count("<h2>") == 1
    assert "<b>" not in head


def test_lanes_can_be_chosen_from_those_of_the_run(sample):
    found = lanes.choice(sample, sample.only(["eagle", "eagley"]))
    assert found["choices"] == [("Vanilla", "vanilla"), ("EAGLE", "eagle"), ("EAGLEY", "eagley")]
    assert found["value"] == ["eagle", "eagley"]
    assert found["visible"]
    alone = sample.only(["eagley"])
    assert not lanes.choice(alone, alone)["visible"]


def test_a_run_brings_its_view_and_its_key_to_the_marks(sample):
    assert steps.build(None, []).opened(sample) == (view(sample),)
    (legend,) = trees.build(None).opened(sample)
    assert "recycled" in legend


def test_the_page_speaks_chinese(sample):
    head, _, figures = by_lane(sample, words("zh"))["vanilla"]
    assert "原始解码" in head
    assert "词元" in figures["note"]


def test_own_comparisons_lead_the_picker(runs_dir, sample):
    runs = recorded(runs_dir)
    own = opening.kept((), Comparison("mine", sample.traces, key="own-1"))
    assert opening.choices(runs, own) == [
        ("Your run 1: mine", "own-1"),
        ("Chat: sky", "1-chat_sky"),
    ]


def test_only_the_newest_own_comparisons_are_listed(sample):
    own = ()
    for number in range(12):
        own = opening.kept(own, Comparison("mine", sample.traces, key=f"own-{number}"))
    assert [o.number for o in own] == list(range(5, 13))


def test_a_run_can_stand_beside_any_other_and_not_beside_itself(runs_dir):
    runs = recorded(runs_dir)
    assert opening.besides(runs, (), "other") == [("none", ""), ("Chat: sky", "1-chat_sky")]
    assert opening.besides(runs, (), "1-chat_sky") == [("none", "")]
    assert opening.parts("a+b~eagle") == ("a", "b")
    assert opening.parts("a~eagle") == ("a", "")


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


def test_lanes_that_will_run_wait_for_their_turn():
    settings = Settings("x", ["eagley", "eagle"], 0, 0, 8, has_second=True)
    texts = blank(settings)
    assert list(texts) == ["eagle", "eagley", "eagley-2"]
    assert {text["empty"] for text in texts.values()} == {"Waits for its turn."}
    frame = Frame({}, "eagle", (["a", "draft", 0],))
    assert streamed_lane(frame)["tokens"] == [["a", "draft", 0]]


def test_examples_are_plain_text():
    assert all(text and "`" not in text for text in EXAMPLES.values())


def test_the_page_is_built_with_and_without_runs(runs_dir, tmp_path):
    assert build_app(runs_dir, None).blocks
    (runs_dir / "0-broken.json.gz").write_bytes(b"nothing")
    assert build_app(runs_dir, None).blocks
    empty = tmp_path / "empty"
    empty.mkdir()
    assert build_app(empty, FakeLive()).blocks


def test_the_page_s_config_is_plain_data(runs_dir):
    """gr.HTML answers unknown attributes with events, which must not get into the page."""
    for component in build_app(runs_dir, None).config["components"]:
        odd = {k for k, v in component["props"].items() if callable(v)} - {"delete_callback"}
        assert not odd, (component["type"], odd)


def test_the_page_exists_in_both_languages(runs_dir):
    pages = build_app(runs_dir, None).config["page"]
    assert set(pages) == {"", "zh"}
    assert all(page["components"] and page["dependencies"] for page in pages.values())


def test_arguments_have_defaults(monkeypatch):
    monkeypatch.setenv("PORT", "7001")
    chosen = arguments(["--no-live"])
    assert (chosen.port, chosen.host, chosen.no_live) == (7001, None, True)
