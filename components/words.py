"""What the page says, in English or in Chinese.

A sentence is written in English where it is used, and is itself the key to its translation. It is
always whole: what varies in it is a placeholder, `{name}`. Plotly's own, `%{x}`, are left alone.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent.parent / "assets" / "words"
LANGUAGES: Final = {"en": "English", "zh": "中文"}
PLACEHOLDER: Final = re.compile(r"(?<!%)\{(\w+)\}")
SCRIPTED: Final = re.compile(r"""\b(?:say\(|words\[)\s*(['"])((?:\\.|(?!\1).)+)\1""")


class Phrase(str):
    """A sentence that is said elsewhere: `say` gets it from a constant, not as a literal."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)  # one per language: known by identity
class Words:
    """Says sentences in one language."""

    language: str  # as HTML names it
    catalogue: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, sentence: str, /, **values: object) -> str:
        """The sentence in this language, with its placeholders filled.

        What the catalogue lacks, such as an error of the engine, is said as it is. Raises KeyError
        where a placeholder has no value.
        """
        said = self.catalogue.get(sentence, sentence)
        return PLACEHOLDER.sub(lambda found: str(values[found[1]]), said) if values else said


ENGLISH: Final = Words("en")


@cache
def words(language: str) -> Words:
    """The words of a language. Raises ValueError for one that there is not."""
    if language not in LANGUAGES:
        raise ValueError(f"there are words in {' and '.join(LANGUAGES)}, not in {language!r}")
    return ENGLISH if language == "en" else Words(language, catalogue(language))


def catalogue(language: str) -> dict[str, str]:
    """English sentences and their translations."""
    return json.loads((FOLDER / f"{language}.json").read_text("utf-8"))


def scripted(script: str) -> list[str]:
    """The sentences of a script: literals in `say('…')` and `words['…']`."""
    return [re.sub(r"\\(.)", r"\1", text) for _, text in SCRIPTED.findall(script)]
