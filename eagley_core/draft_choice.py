"""From what `--draft` says to a draft that fits the target."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from transformers.utils import cached_file

from eagley_core.config import EARLY_EXIT
from eagley_core.default_model import HEAD
from eagley_core.draft import EagleDraft
from eagley_core.drafting import Draft
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.exit_file import load_exit_head
from eagley_core.head_file import load_head
from eagley_core.heads.layouts import is_heads
from eagley_core.int8 import quantise
from eagley_core.load import ModelChoice, load_model
from eagley_core.model_draft import ModelDraft
from eagley_core.prior import FILE, Prior, load_prior
from eagley_core.target import Target
from eagley_core.text import Tokenizer

SHIPPED = "the shipped EAGLE-3 head"
INT8 = "int8 copy of the target"


def open_draft(
    draft: str | None, choice: ModelChoice, target: Target, tokenizer: Tokenizer
) -> Draft | None:
    """The draft that was asked for. Raises ValueError in one line where it does not fit.

    draft: `none`; `int8`; `early-exit:` and the folder of an exit head; a hub id or folder of a
    language model or of an EAGLE head;
    None for the default target's own head, which another target does not have.
    """
    if draft == "none" or (draft is None and choice.target is not None):
        return None
    if draft is not None and draft.startswith(EARLY_EXIT):
        folder = Path(draft.removeprefix(EARLY_EXIT))
        head = load_exit_head(folder, target)
        return EarlyExitDraft(head, target, f"early exit after layer {head.config.layer}")
    if draft == "int8":
        model, _ = load_model(choice)
        quantise(model)
        return ModelDraft(Target(model, INT8, choice.context), INT8, target.vocab_size)
    if draft is not None and is_language_model(draft):
        return _language_model(draft, choice, target, tokenizer)
    folder = HEAD if draft is None else Path(draft)
    return EagleDraft(load_head(folder, target), target, SHIPPED if folder == HEAD else folder.name)


def prior_of(draft: str | None, choice: ModelChoice) -> Prior | None:
    """What was fitted on runs with this draft, where its folder holds it."""
    if draft is None and choice.target is not None:
        return None
    folder = HEAD if draft is None else Path(draft.removeprefix(EARLY_EXIT))
    return load_prior(folder / FILE) if (folder / FILE).is_file() else None


def is_language_model(draft: str) -> bool:
    """Whether a hub id or folder is a whole model: it has a tokenizer, and is not called a head."""
    if draft.startswith(("/", ".", "~")) and not Path(draft).is_dir():
        return False  # not a hub's id either
    config = _file(draft, "config.json")
    try:
        is_head = config is not None and is_heads(json.loads(Path(config).read_text("utf-8")))
    except (ValueError, AttributeError):  # told when it is loaded
        is_head = False
    return not is_head and _file(draft, "tokenizer_config.json") is not None


def _file(draft: str, name: str) -> str | None:
    """One file of a hub id or folder; None where it has none, or does not exist itself."""
    missing_is_none = {
        "_raise_exceptions_for_gated_repo": False,
        "_raise_exceptions_for_missing_entries": False,
        "_raise_exceptions_for_connection_errors": False,
    }
    try:
        return cached_file(draft, name, **missing_is_none)
    except OSError:  # no such repository
        return None


def _language_model(
    draft: str, choice: ModelChoice, target: Target, tokenizer: Tokenizer
) -> ModelDraft:
    name = Path(draft).name if Path(draft).is_dir() else draft
    try:
        model, own = load_model(replace(choice, target=draft))
    except ValueError as error:
        raise ValueError(str(error).replace("cannot load target", "cannot load draft")) from error
    problem = difference(tokenizer, own)
    if problem:
        raise ValueError(f"draft {name} has another tokenizer than {target.name}: {problem}")
    loaded = Target(model, name, choice.context)
    if loaded.context < target.context:
        raise ValueError(
            f"draft {name} has a context of {loaded.context} tokens and {target.name} one of "
            f"{target.context}: set the context to {loaded.context} at most"
        )
    if loaded.vocab_size < target.vocab_size and max(own.get_vocab().values()) >= loaded.vocab_size:
        raise ValueError(f"draft {name} predicts {loaded.vocab_size} tokens only")
    return ModelDraft(loaded, name, target.vocab_size)


def difference(ours: Any, theirs: Any) -> str | None:
    """How two tokenizers differ in their vocabulary or special tokens; None where they do not."""
    mine, other = ours.get_vocab(), theirs.get_vocab()
    if len(mine) != len(other):
        return f"{len(other)} tokens instead of {len(mine)}"
    odd = next((token for token, index in mine.items() if other.get(token) != index), None)
    if odd is not None:
        return f"token {odd!r} is {other.get(odd)} instead of {mine[odd]}"
    if set(ours.all_special_ids) != set(theirs.all_special_ids):
        return f"special tokens {theirs.all_special_tokens} instead of {ours.all_special_tokens}"
    return None
