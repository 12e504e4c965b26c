"""Paired figures of a bench, and the command line's door."""

import argparse
import json

import pytest

from eagley_core import cli
from eagley_core.bench import Plan, bench
from eagley_core.bench_result import PLAIN
from eagley_core.commands.bench import add_arguments, lanes_of, ruled_lanes
from eagley_core.commands.settings import lines
from eagley_core.config import DecodeConfig
from eagley_core.lab import Lab
from eagley_core.prompt_file import PromptLine, read_prompts, spread
from eagley_core.statistics import median_interval, medians


class Letters:
    """A tokenizer of one token per character."""

    chat_template = None
    eos_token_id = None

    def encode(self, text: str) -> list[int]:
        return [ord(c) % 60 for c in text]

    def decode(self, ids, *, skip_special_tokens: bool = True) -> str:
        return "".join(chr(97 + i % 26) for i in ids)


LINES = [PromptLine("1", "a", "hello there"), PromptLine("2", "b", "what is it")]


def run(engine, n_tokens: int) -> dict:
    lanes = {m: DecodeConfig(m, n_tokens) for m in ("vanilla", "eagle", "eagley")}
    return bench(Lab(engine, Letters(), "tiny"), LINES, Plan(lanes), lambda turn: None)


def test_every_lane_meets_every_prompt_and_is_compared_with_vanilla(engine):
    found = run(engine, 12)
    assert {row["lane"] for row in found["rows"]} >= {"vanilla", "eagle", "eagley"}
    for lane in ("eagle", "eagley"):
        assert found["methods"][lane]["identical_to_vanilla"] == len(LINES)
        assert found["methods"][lane]["differences"] == []
    assert set(found["speedup"]) == {"eagle_vs_vanilla", "eagley_vs_vanilla", "eagley_vs_eagle"}
    assert set(found["by_category"]) == {"a", "b"}
    json.dumps(found)


def test_an_approximate_rules_lane_reports_its_errors(engine):
    lanes = {"vanilla": DecodeConfig("vanilla", 16), "eagle": DecodeConfig("eagle", 16)}
    plan = Plan(ruled_lanes(lanes, "top-k:4,typical:0.3,0.3"))
    found = bench(Lab(engine, Letters(), "tiny"), LINES, plan, lambda turn: None)
    assert set(found["methods"]) >= {"eagle", "eagle[top-k:4]", "eagle[typical:0.3,0.3]"}
    assert found["methods"]["eagle"]["errors"] is None
    assert "eagle[top-k:4]_vs_eagle" in found["speedup"]
    told = found["methods"]["eagle[top-k:4]"]["errors"]
    assert told["whole_outputs_compared"] == len(LINES)
    assert told["tokens"] == 15 * len(LINES)
    assert 0 < told["mismatch_rate"] <= 1
    rows = [row for row in found["rows"] if row["lane"] == "eagle[top-k:4]"]
    assert told["differing_tokens"] == sum(row["differing_tokens"] for row in rows)
    assert told["levels"] == sum(row["errors"]["levels"] for row in rows)
    json.dumps(found)


def test_the_seeds_literal_loop_is_one_lane_with_a_chain(engine):
    lanes = {m: DecodeConfig(m, 12) for m in ("vanilla", "eagle", "eagley")}
    ruled = ruled_lanes(lanes, "seed-literal:0.8,top-k:2")
    added = ["eagley[seed-literal:0.8]", "eagle[top-k:2]", "eagley[top-k:2]"]
    assert list(ruled) == [*lanes, *added]
    found = bench(Lab(engine, Letters(), "tiny"), LINES, Plan(ruled), lambda turn: None)
    assert found["methods"]["eagley[seed-literal:0.8]"]["runs"] == len(LINES)
    assert "eagley[seed-literal:0.8]_vs_vanilla" in found["speedup"]
    json.dumps(found)


def test_rules_can_be_for_some_lanes_only():
    lanes = {m: DecodeConfig(m, 12) for m in ("vanilla", "eagle", "eagley")}
    assert list(ruled_lanes(lanes, "top-k:2", ["eagley"])) == [*lanes, "eagley[top-k:2]"]


def test_the_plain_lane_is_no_method_of_the_speed_ups(engine):
    found = run(engine, 6)
    assert not any(name.startswith(PLAIN) for name in found["speedup"])


def test_one_token_per_prompt_leaves_decode_figures_unknown(engine):
    found = run(engine, 1)
    assert found["methods"]["eagle"]["decode_tokens_per_second"] is None
    assert found["speedup"]["eagle_vs_vanilla"]["median"] is None


def test_medians_by_hand():
    rows = [{"x": 1.0, "y": [1, 2], "z": None}, {"x": 4.0, "y": [3], "z": None}]
    assert medians(rows) == {"x": 2.5, "y": [2.0, 2.0], "z": None}


def test_an_interval_holds_its_median_and_narrows_to_a_constant():
    assert median_interval([2.0, 2.0, 2.0]) == (2.0, 2.0, 2.0)
    found = median_interval([1.0, 2.0, 3.0, 4.0, 50.0])
    assert found.low <= found.median == 3.0 <= found.high


def test_a_limit_spreads_over_categories():
    lines = [PromptLine(str(i), c, "x") for i, c in enumerate("aaaabb")]
    assert [line.question_id for line in spread(lines, 4)] == ["0", "1", "4", "5"]


@pytest.mark.parametrize("text", ["", "nonsense", "{}", '{"turns": []}', '{"prompt": 3}', "[1]"])
def test_a_broken_prompt_file_is_refused(tmp_path, text):
    path = tmp_path / "prompts.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"prompts\.jsonl"):
        read_prompts(path)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--prompt", "x", "--temperature", "-1"],
        ["run", "--prompt", "x", "--context", "0"],
        ["run", "--prompt", "x", "--target", "/no/such/folder"],
        ["run", "--prompt", "x", "--trace", "/no/such/folder/run.json.gz"],
        ["run", "--prompt", "x", "--tree", "dynamic:1000,20,100"],
        ["run", "--prompt", "x", "--method", "eagley", "--tree", "fixed"],
        ["bench", "--prompts", "/no/such/file.jsonl"],
        ["bench", "--prompts", "x", "--rules", "magic:2"],
        ["bench", "--prompts", "assets/prompts.jsonl", "--rules-for", "eagley"],
        ["bench", "--prompts", "assets/prompts.jsonl", "--rules", "top-k:2", "--rules-for", "x"],
        ["bench", "--prompts", "/no/such/file.jsonl", "--methods", "vanilla,magic"],
        ["show", "/no/such/trace.json.gz"],
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, capsys):
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith(f"eagley_core {words[0]}: ")
    assert "Errno" not in err


def turns_of(engine, warm: bool = False) -> tuple[dict, list]:
    lanes = {m: DecodeConfig(m, 10) for m in ("vanilla", "eagle", "eagley")}
    lines = [PromptLine("1", "a", "hello there", ("and then", "go on")), LINES[1]]
    told = []
    lab = Lab(engine, Letters(), "tiny")
    return bench(lab, lines, Plan(lanes, warm=warm), told.append), told


def test_every_turn_is_run_by_every_lane_after_the_first_lanes_answer(engine):
    found, told = turns_of(engine)
    assert [turn.prompt.text for turn in told] == ["hello there", "and then", "go on", "what is it"]
    answers = [turn.traces["vanilla"].text for turn in told]
    assert told[2].prompt.history == ("hello there", answers[0], "and then", answers[1])
    assert all(turn.traces["eagle"].text == turn.traces["vanilla"].text for turn in told)
    assert [row["turn"] for row in found["rows"] if row["lane"] == "eagley"] == [0, 1, 2, 0]
    assert [row["reused_rows"] > 0 for row in found["rows"] if row["lane"] == "eagley"] == [
        False,
        True,
        True,
        False,
    ]


def test_a_warm_store_goes_on_from_prompt_to_prompt_and_a_cold_one_does_not(engine):
    def start(told) -> int:
        return told[-1].traces["eagley"].steps[0].store_bytes

    assert start(turns_of(engine, warm=True)[1]) > start(turns_of(engine)[1])


def test_a_prompt_file_keeps_later_turns(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"turns": ["a", "b", "c"]}\n{"prompt": "d"}')
    first, second = read_prompts(path)
    assert (first.turns, second.turns) == (("a", "b", "c"), ("d",))
    assert first.first().turns == ("a",)


def test_the_controls_are_lanes_with_none_of_eagleys_channels():
    words = ["--prompts", "x", "--controls", "--max-new-tokens", "8"]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert {n: c.reuse for n, c in lanes_of(parser.parse_args(words)).items()} == {
        "vanilla": DecodeConfig().reuse,
        "eagle": DecodeConfig().reuse,
        "eagley": DecodeConfig().reuse,
        "more-draft": (*DecodeConfig().reuse, "more-draft"),
        "ngram": ("ngram",),
    }


def test_words_shorten_long_fractions():
    told = lines([("a", 28.316260593815684), ("bc", [1, 0.0625001]), ("d", None), ("e", 40000)])
    assert told == "a   28.32\nbc  [1, 0.0625]\nd   None\ne   40000"
