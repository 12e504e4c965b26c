"""Every sentence of the page is in the catalogue, and the catalogue has no others."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from components.runs import opened, recorded
from components.words import ENGLISH, FOLDER, Words, catalogue, scripted, words
from eagley_core.ablation_result import STORES
from eagley_core.trace import Provenance, Source, Verdict

ROOT = Path(__file__).resolve().parents[2]
PYTHON = [ROOT / "app.py", *sorted((ROOT / "components").rglob("*.py"))]
SCRIPTS = sorted((ROOT / "assets").glob("*.js"))
NAMES = {*get_args(Source), *get_args(Verdict), *get_args(Provenance), *STORES}  # said as they are
LOADING = [ROOT / "eagley_core" / f"{part}.py" for part in ("default_model", "lab", "live")]
LOADING += [ROOT / "components" / "zero_gpu.py"]
HOLDERS = re.compile(r"%?\{\w+[^}]*\}")


def said(source: str) -> Iterator[str]:
    """The literals given to `say(…)` and `Phrase(…)`, both arms of a conditional included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args and name(node.func) in ("say", "Phrase"):
            yield from literals(node.args[0])


def reported(source: str) -> Iterator[str]:
    """What loading a model reports; names of models are put in by f-strings, and stay."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and name(node.func) in ("report", "_report", "Loading"):
            text = node.args[0] if node.args else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.value


def shipped() -> Iterator[str]:
    """What the recorded runs are called, and what they say of themselves."""
    for run in recorded(ROOT / "assets" / "runs"):
        yield run.label
        for trace in opened(run).traces:
            yield from (trace.draft, trace.environment.numerics)


def name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    assert not isinstance(node, ast.JoinedStr), f"line {node.lineno}: placeholders, not an f-string"


def everything() -> set[str]:
    found = {text for path in PYTHON for text in said(path.read_text("utf-8"))}
    found |= {text for path in LOADING for text in reported(path.read_text("utf-8"))}
    found |= NAMES | set(shipped()) - {"", "none"}
    return found | {text for path in SCRIPTS for text in scripted(path.read_text("utf-8"))}


def test_the_reader_of_sources_finds_literals():
    source = 'say("a"); self.say("b" if x else "c" "d"); Phrase("e"); say(f); other("g")'
    assert list(said(source)) == ["a", "b", "cd", "e"]
    with pytest.raises(AssertionError, match="f-string"):
        list(said('say(f"a {b}")'))


def test_the_reader_of_scripts_finds_literals():
    script = "say('it\\'s {n}', {n}); props.words[\"b\"]; essay('c'); say(d);"
    assert scripted(script) == ["it's {n}", "b"]


def test_every_sentence_has_a_translation():
    assert sorted(everything() - catalogue("zh").keys()) == []


def test_no_translation_is_unused():
    assert sorted(catalogue("zh").keys() - everything()) == []


def test_translations_keep_the_placeholders():
    odd = {
        english: chinese
        for english, chinese in catalogue("zh").items()
        if set(HOLDERS.findall(english)) != set(HOLDERS.findall(chinese))
    }
    assert not odd


def test_the_file_is_sorted_and_names_nothing_twice():
    text = (FOLDER / "zh.json").read_text("utf-8")
    keys = json.loads(text, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    assert keys == sorted(set(keys))
    assert text == json.dumps(catalogue("zh"), ensure_ascii=False, indent=2) + "\n"


def test_values_fill_the_placeholders_and_are_not_read_as_some():
    say = Words("zh", {"“{token}” at {place}": "{place}：“{token}”"})
    assert say("“{token}” at {place}", token="{place}", place=3) == "3：“{place}”"
    assert say("{a} at %{x:.0f}", a="1") == "1 at %{x:.0f}"
    with pytest.raises(KeyError):
        say("{a}", b=1)


def test_what_the_catalogue_lacks_is_said_in_english():
    assert Words("zh", {})("a {strange} error") == "a {strange} error"


def test_languages():
    assert words("en") is ENGLISH
    assert words("zh").language == "zh"
    with pytest.raises(ValueError, match="not in 'fr'"):
        words("fr")
