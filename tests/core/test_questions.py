"""What a bench is asked for on the command line."""

import argparse
import json

import pytest

from eagley_core import busy, cli
from eagley_core.busy import Load
from eagley_core.commands import work
from eagley_core.commands.bench import add_arguments
from eagley_core.commands.peers import peer_lanes
from eagley_core.commands.questions import asked
from eagley_core.config import DecodeConfig
from eagley_core.lab import Lab
from tests.core.test_bench import Letters


@pytest.fixture
def gsm(tmp_path) -> str:
    path = tmp_path / "test.jsonl"
    rows = [{"question": f"How many {n}?", "answer": f"#### {n}"} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


def test_a_suite_brings_its_own_limit(gsm):
    args = parsed("--suite", "gsm8k", "--path", gsm, "--limit", "2")
    found = asked(args)
    assert args.max_new_tokens == 256
    assert [line.question_id for line in found.lines] == ["0", "1"]
    assert found.setup == {"suite": "gsm8k", "prompts": "test.jsonl", "containment": None}


def test_the_command_lines_limit_wins_over_a_suites_and_a_questions(tmp_path):
    args = parsed("--suite", "scenarios", "--max-new-tokens", "9")
    assert {line.max_new_tokens for line in asked(args).lines} == {None}
    assert args.max_new_tokens == 9
    path = tmp_path / "p.jsonl"
    path.write_text('{"prompt": "x", "max_new_tokens": 3}\n{"prompt": "y"}')
    args = parsed("--prompts", str(path))
    assert [line.max_new_tokens for line in asked(args).lines] == [3, None]
    assert args.max_new_tokens == DecodeConfig().max_new_tokens


def test_scenarios_need_no_path_and_name_their_file():
    found = asked(parsed("--suite", "scenarios"))
    assert found.setup["prompts"] == "scenarios.jsonl"
    assert {line.category for line in found.lines} == {"short", "long", "code"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "either --prompts or --suite"),
        (["--prompts", "x", "--suite", "gsm8k"], "either --prompts or --suite"),
        (["--prompts", "x", "--path", "y"], "--path is a suite's"),
        (["--suite", "gsm8k", "--path", "x", "--run-code"], "--run-code is for suite humaneval"),
        (["--suite", "mmlu"], "suite mmlu needs --path"),
    ],
)
def test_what_does_not_go_together_is_one_line(words, told, capsys):
    assert cli.main(["bench", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_busy_machine_is_refused_before_anything_is_loaded(gsm, monkeypatch, capsys):
    monkeypatch.setattr(busy, "look", lambda: Load(0.9, 3.0, 2))
    assert cli.main(["bench", "--suite", "gsm8k", "--path", gsm]) == 2
    told = capsys.readouterr().err
    assert "the machine is busy (90% of 2 processors taken" in told
    assert "loading" not in told


def test_peers_are_lanes_by_the_words_that_ask_for_them(gsm):
    words = ["--suite", "gsm8k", "--path", gsm, "--peers", "generate,prompt-lookup:3"]
    config = DecodeConfig("vanilla", 5)
    lanes = peer_lanes(parsed(*words), config)
    assert list(lanes) == ["generate", "prompt-lookup:3"]
    assert (lanes["prompt-lookup:3"].number, lanes["generate"].config) == (3, config)
    with pytest.raises(ValueError, match="--turns first"):
        peer_lanes(parsed(*words, "--turns", "all"), config)


def test_a_suite_from_the_command_line_to_the_report(gsm, engine, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(busy, "look", lambda: Load(0.01, 0.1, 2))
    monkeypatch.setattr(work, "lab_of", lambda args: Lab(engine, Letters(), "tiny"))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    out, page = tmp_path / "r.json", tmp_path / "r.html"
    words = ["--suite", "gsm8k", "--path", gsm, "--target", str(tmp_path), "--draft", "none"]
    words += ["--max-new-tokens", "6", "--repeats", "2", "--out", str(out)]
    assert cli.main(["bench", *words]) == 0
    told = json.loads(out.read_text())
    assert told["setup"]["suite"] == "gsm8k"
    assert list(told["setup"]["target"]) == ["model.safetensors"]
    assert told["setup"]["load"] == {
        "share": 0.01,
        "average": 0.1,
        "processors": 2,
        "is_busy": False,
    }
    assert told["setup"]["lanes"]["eagley"]["max_new_tokens"] == 6
    assert told["accuracy"]["eagley"]["answers_equal_to_vanilla"] == 4
    assert len(told["ratios"]["eagley_vs_eagle"]) == 8
    assert told["drift"]["runs"] == 2
    assert str(tmp_path) not in out.read_text()
    assert not out.with_name("r.json.journal.jsonl").exists()
    capsys.readouterr()
    assert cli.main(["report", str(out), "--out", str(page)]) == 0
    assert "answers equal to vanilla" in page.read_text()
