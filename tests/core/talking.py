"""A tokenizer with a chat template, for targets with a tiny vocabulary."""

from collections.abc import Sequence

from tests.core.tiny import VOCABULARY

SPECIAL = ("<end>", "<user>", "<assistant>", "<system>", "<pad>")
END = 0


class Words:
    """One token per word; word n of the vocabulary is written `wn`."""

    chat_template = "turns"
    eos_token_id = END

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        return [self._id(word) for word in text.split()]

    def _id(self, word: str) -> int:
        if word in SPECIAL:
            return SPECIAL.index(word)
        own = word[1:] if word.startswith("w") and word[1:].isdigit() else None
        return int(own) if own else 5 + sum(map(ord, word)) % (VOCABULARY - 5)

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        return " ".join(f"w{i}" for i in ids if i != END)

    def apply_chat_template(
        self,
        messages: list[dict],
        tokenize: bool = True,
        add_generation_prompt: bool = False,
        return_dict: bool = True,
    ) -> str | list[int]:
        text = "".join(f"<{m['role']}> {m['content']} <end>\n" for m in messages)
        text += "<assistant> " if add_generation_prompt else ""
        return self.encode(text) if tokenize else text
