import threading
from dataclasses import replace

import pytest
from fake_live import FakeLive

from components.live import Switches, listen
from components.live_run import USUAL, Settings, frames
from components.marks import DRAWN
from components.offers import further_channels, offered_rules
from eagley_core.progress import Loading, Progress
from eagley_core.reuse import CHANNELS, check_channel
from eagley_core.rule import RULES, Rule

SETTINGS = Settings("why?", ["vanilla", "eagley"], 0, 0, 16)


def never() -> bool:
    return False


def test_lanes_run_one_after_another_and_all_are_kept():
    *running, last = frames(FakeLive(pause=0), SETTINGS, never)
    assert [f.lane for f in running] == sorted((f.lane for f in running), reverse=True)
    assert [t.label for t in last.result.traces] == ["Vanilla", "EAGLEY"]
    assert last.result.name == "why?"


def test_tokens_grow_and_carry_their_source():
    seen = [f.tokens for f in frames(FakeLive(), SETTINGS, never) if f.lane == "eagley"]
    assert all(b[: len(a)] == a for a, b in zip(seen, seen[1:], strict=False))
    assert {source for _, source, _ in seen[-1]} <= set(DRAWN)
    assert len(seen[-1]) == 16


def test_a_stop_keeps_what_is_finished_and_the_partial_lane():
    switch = threading.Event()
    for frame in frames(FakeLive(), SETTINGS, switch.is_set):
        if frame.lane == "eagley":
            switch.set()
    vanilla, eagley = frame.result.traces
    assert (vanilla.finish_reason, eagley.finish_reason) == ("length", "cancelled")
    assert 0 < len(eagley.output_ids) < 16
    assert "Stopped" in frame.meter["text"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"methods": []}, "choose at least one lane"),
        ({"prompt": " "}, "the prompt is empty"),
        ({"temperature": -1}, "temperature must be at least 0, got -1"),
        ({"length": 0}, "max_new_tokens must be at least 1, got 0"),
        ({"rule": "sometimes"}, "rule must be one of exact, speculative"),
        ({"rule": "lenience"}, "rule lenience takes lenience, got ()"),
        ({"rule": "top-k:many"}, "rule top-k has a number that is none"),
        ({"rule": "seed-literal:0.3"}, "seed-literal goes with no reuse channel"),
        ({"rule": "speculative", "coupling": "on"}, "coupled drafting needs the rule exact"),
        ({"more": ["recycled:accepted"]}, "the channel recycled is chosen 2 times"),
        ({"more": ["stale-kv:4"], "rule": "speculative"}, "stale-kv needs the rule exact"),
    ],
)
def test_bad_input_is_one_line(change, line):
    *_, last = frames(FakeLive(), SETTINGS._replace(**change), never)
    assert last.meter["error"]
    assert line in last.meter["text"]
    assert last.result is None


def test_what_was_chosen_reaches_every_lane():
    chosen = SETTINGS._replace(
        temperature=0.8, rule=" top-k:2 ", channels=["suffix"], more=["ngram"], coupling="off"
    )
    *_, last = frames(FakeLive(pause=0), chosen, never)
    for trace in last.result.traces:
        assert (str(trace.config.rule), trace.config.coupled) == ("top-k:2", False)
        assert trace.config.reuse == ("suffix", "ngram")


def test_nothing_runs_when_one_lane_cannot():
    (only,) = frames(FakeLive(), SETTINGS._replace(rule="seed-literal:0.3"), never)
    assert only.result is None


def test_the_seed_s_loop_walks_a_chain():
    configs = SETTINGS._replace(rule="seed-literal:0.3", channels=()).configs()
    assert configs["eagley"].tree.top_k == 1


def test_every_rule_and_every_channel_is_offered():
    assert [Rule.parse(text).name for text in offered_rules()] == list(RULES)
    offered = (*USUAL, *further_channels())
    assert {text.partition(":")[0] for text in offered} == CHANNELS.keys()
    for text in offered:
        check_channel(text)


class Breaks(FakeLive):
    def stream(self, prompt, config, cancelled):
        if config.method == "eagley":
            raise RuntimeError("out of memory\nlong story")
        return super().stream(prompt, config, cancelled)


def test_an_error_keeps_the_lanes_before_it():
    *_, last = frames(Breaks(pause=0), SETTINGS, never)
    assert last.meter["text"] == "The run ended with an error: out of memory"
    assert [t.label for t in last.result.traces] == ["Vanilla"]


class Loads(FakeLive):
    def progress(self):
        return Loading("Loading the model", 0.5)


def test_loading_is_shown_until_the_first_token():
    first = next(frames(Loads(pause=0.3), SETTINGS, never))
    assert first.meter == {"text": "Loading the model", "fraction": 0.5, "error": False}


def test_listen_is_silent_but_alive_while_the_stream_is():
    release = threading.Event()

    def slow():
        release.wait(5)
        yield Progress((("a", "bonus"),), 1, 0.1)

    heard = listen(slow(), patience=0.01)
    assert next(heard) == ()
    release.set()
    assert [item for batch in heard for item in batch] == [Progress((("a", "bonus"),), 1, 0.1)]


def test_a_new_run_stops_the_older_one_of_the_same_visitor():
    switches = Switches()
    first, other = switches.fresh("a"), switches.fresh("b")
    second = switches.fresh("a")
    assert first.is_set()
    assert not second.is_set()
    assert not other.is_set()
    switches.stop("nobody")


def test_a_trace_without_output_is_not_shown():
    class Empty(FakeLive):
        def stream(self, prompt, config, cancelled):
            *_, trace = super().stream(prompt, config, cancelled)
            yield replace(trace, steps=(), output_ids=(), pieces=())

    *_, last = frames(Empty(pause=0), SETTINGS, never)
    assert last.result is None


def test_a_stop_does_not_wait_for_a_busy_engine():
    switch, release = threading.Event(), threading.Event()

    class Busy(FakeLive):
        def stream(self, prompt, config, cancelled):
            release.wait(10)
            yield from super().stream(prompt, config, cancelled)

    running = frames(Busy(), SETTINGS, switch.is_set)
    assert next(running).tokens == ()
    switch.set()
    *_, last = running
    release.set()
    assert last.result is None
    assert "Stopped" in last.meter["text"]


def test_a_second_eagley_runs_last_with_its_own_rule_and_channels():
    both = SETTINGS._replace(has_second=True, second_rule="top-k:3", second_channels=["ngram"])
    *running, last = frames(FakeLive(pause=0), both, never)
    assert list(dict.fromkeys(f.lane for f in running)) == ["vanilla", "eagley", "eagley-2"]
    assert list(last.result.lanes) == ["vanilla", "eagley", "eagley-2"]
    first, second = last.result.lanes["eagley"].config, last.result.lanes["eagley-2"].config
    assert (str(first.rule), first.reuse) == ("exact", USUAL)
    assert (str(second.rule), second.reuse) == ("top-k:3", ("ngram",))
    assert (first.seed, first.temperature) == (second.seed, second.temperature)


def test_a_second_eagley_may_run_alone_and_is_checked_like_the_first():
    alone = SETTINGS._replace(methods=[], has_second=True)
    assert list(alone.configs()) == ["eagley-2"]
    with pytest.raises(ValueError, match="recycled is chosen 2 times"):
        alone._replace(second_channels=["recycled", "recycled:rejected"]).configs()
