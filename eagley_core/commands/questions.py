"""What a bench asks: a prompt file, or a suite's questions."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eagley_core.config import DecodeConfig
from eagley_core.prompt_file import PromptLine, read_prompts
from eagley_core.suites import SUITES, sandbox
from eagley_core.suites.source import questions_of
from eagley_core.suites.suite import Question, Suite


class Asked(NamedTuple):
    """The questions of one bench. suite: None for a plain prompt file."""

    lines: Sequence[PromptLine]
    name: str  # of the file, or on the hub
    suite: Suite | None = None
    questions: Sequence[Question] = ()
    runs_code: bool = False

    def judged(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result with its answers, where the questions are a suite's."""
        if self.suite is None:
            return result
        from eagley_core.suites.grading import graded

        return graded(result, self.suite, self.questions, self.runs_code, _tell)

    @property
    def setup(self) -> dict[str, Any]:
        """For the result: what was asked, and what held generated code in."""
        return {
            "suite": self.suite and self.suite.name,
            "prompts": self.name,
            "containment": sandbox.containment() if self.runs_code else None,
        }


def add_question_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("questions")
    group.add_argument("--prompts", type=Path, help="JSON lines with `turns` or `prompt`")
    group.add_argument("--suite", choices=list(SUITES), help="a benchmark, in place of --prompts")
    group.add_argument(
        "--path", help="the suite's published file, a folder of CSV files, or a hub's data set"
    )
    group.add_argument(
        "--run-code",
        action="store_true",
        help="of humaneval: run generated code, in a process apart without network",
    )
    group.add_argument("--limit", type=int, help="this many prompts, spread over categories")
    group.add_argument("--turns", choices=["first", "all"], default="first")
    parser.set_defaults(max_new_tokens=None)


def asked(args: argparse.Namespace) -> Asked:
    """Read the questions, and settle `max_new_tokens`: the command line's, else the suite's."""
    _check(args)
    found = _of_suite(args) if args.suite else _of_file(args)
    lines = found.lines
    if args.turns == "first":
        lines = [line.first() for line in lines]
    if args.max_new_tokens is not None:
        lines = [line._replace(max_new_tokens=None) for line in lines]
    else:
        suite = SUITES.get(args.suite)
        args.max_new_tokens = (suite or DecodeConfig()).max_new_tokens
    return found._replace(lines=lines)


def _of_file(args: argparse.Namespace) -> Asked:
    return Asked(read_prompts(args.prompts, args.limit), args.prompts.name)


def _of_suite(args: argparse.Namespace) -> Asked:
    suite = SUITES[args.suite]
    questions = questions_of(suite, args.path, args.limit)
    name = args.path or str(suite.own_file)
    told = Path(name).name if Path(name).exists() else name
    return Asked([q.line for q in questions], told, suite, questions, args.run_code)


def _check(args: argparse.Namespace) -> None:
    if (args.prompts is None) == (args.suite is None):
        raise ValueError("give either --prompts or --suite")
    if args.path and not args.suite:
        raise ValueError("--path is a suite's: give --suite too")
    if args.run_code:
        if args.suite is None or not SUITES[args.suite].runs_code:
            raise ValueError("--run-code is for suite humaneval")
        sandbox.check()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201
