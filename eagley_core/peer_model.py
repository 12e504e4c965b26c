"""Loading what transformers' own decoding needs."""

from dataclasses import replace

from transformers import PreTrainedModel

from eagley_core.draft_choice import difference
from eagley_core.int8 import quantise
from eagley_core.lab import Lab
from eagley_core.load import ModelChoice, load_model
from eagley_core.peers import PeerModel


def open_peers(choice: ModelChoice, assistant: str | None, lab: Lab) -> PeerModel:
    """assistant: a hub id or folder of a small model with the target's tokenizer, or `int8`."""
    model, _ = load_model(choice)
    guessing = None if assistant is None else _assistant(choice, assistant, lab)
    return PeerModel(model, lab.engine.eos_ids, guessing)


def _assistant(choice: ModelChoice, name: str, lab: Lab) -> PreTrainedModel:
    if name == "int8":
        model, _ = load_model(choice)
        quantise(model)
        return model
    model, own = load_model(replace(choice, target=name))
    problem = difference(lab.tokenizer, own)
    if problem:
        raise ValueError(f"assistant {name} has another tokenizer than the target: {problem}")
    return model
