"""Paired figures of a bench, and the command line's door."""

import json

import pytest

from eagley_core import cli
from eagley_core.bench import PLAIN, Plan, bench
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
    return bench(Lab(engine, Letters(), "tiny"), LINES, Plan(lanes), lambda line, traces: None)


def test_every_lane_meets_every_prompt_and_is_compared_with_vanilla(engine):
    found = run(engine, 12)
    assert {row["lane"] for row in found["rows"]} >= {"vanilla", "eagle", "eagley"}
    for lane in ("eagle", "eagley"):
        assert found["methods"][lane]["identical_to_vanilla"] == len(LINES)
        assert found["methods"][lane]["differences"] == []
    assert set(found["speedup"]) == {"eagle_vs_vanilla", "eagley_vs_vanilla", "eagley_vs_eagle"}
    assert set(found["by_category"]) == {"a", "b"}
    json.dumps(found)


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
