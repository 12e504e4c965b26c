"""HumanEval (Chen et al., 2107.03374): pass@1, by running the published tests.

Generated code is run in a process apart; see `sandbox` for what that contains and what not.
"""

import re

from eagley_core.prompt_file import PromptLine
from eagley_core.suites import sandbox
from eagley_core.suites.suite import HubSet, Question, Record, Suite, Verdict

ASK = "Complete this Python function. Answer with the whole function in one code block."
BLOCK = re.compile(r"```(?:python|py)?[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
END = re.compile(r"\n(?=class |def |#|if |print|@|```)")  # of a body; Chen et al., section 2.1


def question(record: Record, number: int) -> Question:
    """As published: `task_id`, `prompt`, `entry_point`, `test`."""
    name = str(record.get("task_id", record.get("question_id", number)))
    for part in ("prompt", "entry_point", "test"):
        if not isinstance(record[part], str):
            raise TypeError(f"{part} is not a string")
    text = f"{ASK}\n\n```python\n{record['prompt'].rstrip()}\n```"
    return Question(PromptLine(name, "humaneval", text), record=record)


def answer(question: Question, text: str) -> str | None:
    """The program that an output makes of the prompt: prompt's imports and the function.

    Of an output's code blocks the first one that defines the function; an output without any is
    taken for the function's body.
    """
    prompt, name = question.record["prompt"], question.record["entry_point"]
    blocks = BLOCK.findall(text)
    heading = re.compile(rf"^(async )?def {re.escape(name)}\b", re.MULTILINE)
    whole = next((code for code in [*blocks, text] if heading.search(code)), None)
    if whole is not None:
        before = heading.split(prompt)[0]
        return f"{before}\n{whole}"
    body = blocks[0] if blocks else text
    return prompt + END.split("\n" + body)[0].removeprefix("\n") if body.strip() else None


def passes(question: Question, program: str) -> Verdict:
    """Run the published test on the program."""
    test = f"{program}\n{question.record['test']}\ncheck({question.record['entry_point']})\n"
    said = sandbox.run(test)
    return Verdict(program, said == sandbox.PASSED, "" if said == sandbox.PASSED else said)


SUITE = Suite(
    "humaneval",
    max_new_tokens=320,
    question=question,
    answer=answer,
    passes=passes,
    hub=HubSet("openai/openai_humaneval", None, "test"),
    runs_code=True,
)
