"""Rounds of written conversations, stored one file each; and the texts that later ones ask about.

A round is decided by the settings, its number and the rounds before it, so writing that was
stopped continues as if it had not been.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from eagley_core.text import Tokenizer
from eagley_core.train.chats import together
from eagley_core.train.features import Report
from eagley_core.train.generate import Talk, Writer

SETTINGS = "settings.json"
TELL_SECONDS = 30
LEAST_WORDS = 40  # of a text to ask about; sentences to translate are shorter


@dataclass(frozen=True)
class WriteSettings:
    """What decides the conversations of a folder of rounds."""

    target: str
    dtype: str
    seed: int
    slots: int
    round_size: int
    capacity: int
    material: str | None = None  # a file of texts, one a line


def write_rounds(
    writer: Writer, settings: WriteSettings, n: int, folder: Path, report: Report
) -> list[Path]:
    """Files of rounds with at least `n` conversations. Continues what an earlier call began."""
    folder.mkdir(parents=True, exist_ok=True)
    _claim(folder / SETTINGS, settings)
    library = _given(settings.material)
    files, done, told = [], 0, Told(n, report)
    while done < n:
        path = folder / f"round-{len(files):04d}.npz"
        if not path.is_file():
            size = min(settings.round_size, n - done)
            talks = writer.round(len(files), size, library, told.ended)
            if not talks:
                raise ValueError(f"no conversation fits the {settings.capacity} tokens of a slot")
            save(talks, path)
        files.append(path)
        done += _count(path)
        told.done = done
        _add_materials(library, path, writer.tokenizer)
    report(f"writing: {done} conversations written")
    return files


class Told:
    """Progress, told at most every half minute."""

    def __init__(self, wanted: int, report: Report) -> None:
        self.wanted, self.report = wanted, report
        self.done, self.written = 0, 0
        self.begin = self.last = time.monotonic()

    def ended(self) -> None:
        """One more conversation is complete."""
        self.done, self.written = self.done + 1, self.written + 1
        now = time.monotonic()
        if now - self.last >= TELL_SECONDS:
            left = (now - self.begin) / self.written * max(0, self.wanted - self.done) / 60
            self.report(f"writing: {self.done} of {self.wanted} conversations, {left:.1f} min left")
            self.last = now


def _claim(path: Path, settings: WriteSettings) -> None:
    """Raises ValueError when the folder's rounds were written with other settings."""
    mine = asdict(settings)
    if path.is_file() and json.loads(path.read_text()) != mine:
        raise ValueError(f"{path.parent} holds conversations written with other settings")
    path.write_text(json.dumps(mine, indent=1))


def _given(material: str | None) -> dict[str, list[str]]:
    if material is None:
        return {}
    lines = Path(material).read_text(encoding="utf-8").splitlines()
    return {"article": [line.strip() for line in lines if line.strip()]}


def save(talks: Sequence[Talk], path: Path) -> None:
    """Store a round as `data.read` wants it, with each conversation's kind; all or nothing."""
    made = together([(talk.tokens, talk.answers) for talk in talks])
    draft = path.with_suffix(".tmp")
    with draft.open("wb") as file:
        np.savez_compressed(
            file,
            tokens=made.tokens.numpy().astype(np.uint32),
            offsets=made.offsets.numpy(),
            response_start=made.response_start.numpy(),
            answers=made.answers.numpy().astype(np.uint8),
            kinds=np.array([talk.ask.kind for talk in talks]),
        )
    draft.replace(path)


def _count(path: Path) -> int:
    with np.load(path, allow_pickle=False) as file:
        return len(file["response_start"])


def _add_materials(library: dict[str, list[str]], path: Path, tokenizer: Tokenizer) -> None:
    for kind, text in _materials(path, tokenizer):
        library.setdefault(kind, []).append(text)


def _materials(path: Path, tokenizer: Tokenizer) -> Iterator[tuple[str, str]]:
    """The texts of a round that may be asked about, with their kinds."""
    with np.load(path, allow_pickle=False) as file:
        tokens, offsets = file["tokens"], file["offsets"]
        starts, kinds = file["response_start"], file["kinds"]
    for n, name in enumerate(kinds):
        source, kind = str(name).split()
        if source != "materials":
            continue
        ids = tokens[offsets[n] + starts[n] : offsets[n + 1]].tolist()
        text = finished(tokenizer.decode(ids, skip_special_tokens=True))
        if kind == "sentence":
            yield from ((kind, line) for line in text.splitlines() if 3 < len(line.split()) < 60)
        elif len(text.split()) >= LEAST_WORDS:
            yield kind, text


def finished(text: str) -> str:
    """The text without a last sentence that was cut off."""
    end = max(text.rfind(mark) for mark in (". ", ".\n", "! ", "? ", '." ', "."))
    return text[: end + 1].strip() if end > 0 else text.strip()
