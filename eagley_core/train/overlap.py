"""Leave out conversations that share a passage with texts that are kept for measuring.

Thirteen words in a row, as in Brown et al., GPT-3 (2005.14165), appendix C. A text with fewer words
than that never matches.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from eagley_core.train.data import Conversations, chosen

N_WORDS = 13


def runs(text: str) -> Iterator[str]:
    """Every 13 words in a row, without case and punctuation."""
    words = re.findall(r"\w+", text.lower())
    for start in range(len(words) - N_WORDS + 1):
        yield " ".join(words[start : start + N_WORDS])


def kept_apart(files: Iterable[Path]) -> frozenset[str]:
    """The runs of every text in these JSON-lines files. Raises ValueError, naming file and line."""
    found: set[str] = set()
    for path in files:
        for number, line in enumerate(_lines(path), 1):
            try:
                content = json.loads(line) if line.strip() else None
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
            for text in _texts(content):
                found.update(runs(text))
    return frozenset(found)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _texts(content: object) -> Iterator[str]:
    """Every string, however deep."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, (dict, list)):
        for part in content.values() if isinstance(content, dict) else content:
            yield from _texts(part)


def without(
    data: Conversations, apart: frozenset[str], decode: Callable[[Sequence[int]], str]
) -> tuple[Conversations, int]:
    """The conversations that share no run with `apart`, and how many others there were."""
    tokens, offsets = data.tokens.tolist(), data.offsets.tolist()
    clean = [
        index
        for index in range(len(data))
        if apart.isdisjoint(runs(decode(tokens[offsets[index] : offsets[index + 1]])))
    ]
    if not clean:
        raise ValueError("every conversation shares 13 words with the texts to be kept apart")
    return chosen(data, clean), len(data) - len(clean)
