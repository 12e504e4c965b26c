"""What the user asks: templates with slots, and texts that the target wrote earlier."""

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OPENINGS = Path(__file__).with_name("openings.toml")
SLOT = re.compile(r"\{(\w+)\}")
NUMBERS = {"small": (2, 9), "number": (3, 60), "large": (100, 5000)}
OTHERS = {"name2": "name", "things2": "thing"}  # a second word out of the same list
FIXED = {"name", "name2", "thing", "things2", "shop", "person"}  # the same throughout a text
ALONE = {"row", "german"}  # with words of their own
# Shares of the kinds of conversation: written by the target, asked as a whole, about a text.
SHARES = {"written": 22, "asked": 32, "about": 38, "materials": 8}
ABOUT = {
    "summarise": 40,
    "passages": 24,
    "passage": 8,
    "extract": 12,
    "rewrite": 5,
    "translate": 11,
}
ASKED = {"maths": 3, "translate": 4, "code": 2}  # the other kinds have 1
FOLLOWED = 0.15  # share of conversations with a second turn
TOO_LONG_TO_FOLLOW = 1500  # characters


@dataclass(frozen=True)
class Ask:
    """A user turn, or the opening of one that the target is to complete."""

    kind: str
    text: str
    is_opening: bool = False
    followup: str | None = None


Library = Mapping[str, Sequence[str]]  # texts by kind


class Asker:
    """Makes asks out of a file of templates and a library of texts."""

    def __init__(self, templates: Path = OPENINGS) -> None:
        self.parts = tomllib.loads(templates.read_text(encoding="utf-8"))

    def ask(self, rng: random.Random, library: Library) -> Ask:
        """One more. Without texts in the library, none that needs one."""
        shares = {k: n for k, n in SHARES.items() if k != "about" or library}
        source = _drawn(rng, shares)
        if source == "materials":
            kind = rng.choice(list(self.parts["materials"]))
            return Ask(f"materials {kind}", self._template(rng, "materials", kind))
        if source == "about":
            kind = _drawn(rng, ABOUT)
            text = self._template(rng, source, kind, self._material(rng, library, kind))
        else:
            weights = ASKED if source == "asked" else {}
            kinds = {kind: weights.get(kind, 1) for kind in self.parts[source]}
            kind = _drawn(rng, kinds)
            text = self._template(rng, source, kind)
        return Ask(f"{source} {kind}", text, source == "written", self._followup(rng, text))

    def _followup(self, rng: random.Random, text: str) -> str | None:
        if rng.random() > FOLLOWED or len(text) > TOO_LONG_TO_FOLLOW:
            return None
        return self._template(rng, "followups", "any")

    def _template(
        self, rng: random.Random, source: str, kind: str, material: Mapping[str, str] | None = None
    ) -> str:
        text = rng.choice(self.parts[source][kind])
        return self.filled(rng, text, dict(material or {}))

    def filled(self, rng: random.Random, text: str, known: dict[str, str]) -> str:
        """The text with every {slot} replaced; `known`: words that are decided already."""
        parts, end = [], 0
        for found in SLOT.finditer(text):
            parts += [text[end : found.start()], self._word(rng, found[1], known)]
            end = found.end()
        return "".join([*parts, text[end:]])

    def _word(self, rng: random.Random, slot: str, known: dict[str, str]) -> str:
        if slot in known:
            return known[slot]
        if slot in NUMBERS:
            return str(rng.randint(*NUMBERS[slot]))
        words = self.parts["words"][OTHERS.get(slot, slot)]
        choices = [word for word in words if word not in known.values()]
        word = self.filled(rng, rng.choice(choices), {} if slot in ALONE else known)
        if slot in FIXED:
            known[slot] = word
        return word[0].upper() + word[1:] if slot == "german" else word

    def _material(self, rng: random.Random, library: Library, kind: str) -> dict[str, str]:
        """Words for the slots of a template about texts."""
        if kind == "translate":
            sentences = library.get("sentence") or [self.filled(rng, "{german2}", {})]
            return {"sentence": rng.choice(sentences)}
        if kind == "passages":
            return self._passages(rng, library)
        words = {"summarise": rng.randint(150, 550), "passage": rng.randint(80, 300)}
        text = long_text(rng, library, words.get(kind, rng.randint(40, 250)))
        return {"text": text, "question": self._question(rng, text)}

    def _passages(self, rng: random.Random, library: Library) -> dict[str, str]:
        texts = [long_text(rng, library, rng.randint(40, 130)) for _ in range(rng.randint(2, 5))]
        style = rng.choice(
            ("[{n}] {text}", "Passage {n}: {text}", "Document {n}\n{text}", "{text}", "{n}. {text}")
        )
        told = [style.replace("{n}", str(n)).replace("{text}", t) for n, t in enumerate(texts, 1)]
        question = self._question(rng, rng.choice(texts))
        return {"passages": rng.choice(("\n", "\n\n")).join(told), "question": question}

    def _question(self, rng: random.Random, text: str) -> str:
        return self._template(rng, "questions", "any", {"entity": entity(rng, text)})


def _drawn(rng: random.Random, shares: Mapping[str, int]) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]


def long_text(rng: random.Random, library: Library, n_words: int) -> str:
    """About `n_words` words out of one text or, where it is shorter, of several."""
    kinds = [kind for kind in library if kind != "sentence"] or list(library)
    parts: list[str] = []
    for _ in range(4):
        left = n_words - sum(len(part.split()) for part in parts)
        if left < 25:
            break
        parts.append(beginning(rng.choice(library[rng.choice(kinds)]), left))
    return "\n".join(parts)


def beginning(text: str, n_words: int) -> str:
    """Whole sentences up to the one with word n; the whole text when it has none after that."""
    words = list(re.finditer(r"\S+", text))
    if len(words) <= n_words:
        return text
    end = re.compile(r"[.!?][\"”']?(?=\s)").search(text, words[n_words - 1].start())
    return text[: end.end()] if end else text


def entity(rng: random.Random, text: str) -> str:
    """A name in the text: capitals within a sentence; or else one of its longer words."""
    names = re.findall(r"(?<=[a-z,] )(?:[A-Z][\w-]+)(?: [A-Z][\w-]+)*", text)
    longer = [word.strip('.,;:!?"()') for word in text.split() if len(word) > 6]
    return rng.choice(names or longer or ["the author"])
