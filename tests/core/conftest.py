"""One thread, tiny engines made once, and the default model for the few tests that want it."""

import pytest
import torch

from eagley_core import default_model
from eagley_core.lab import Lab, open_lab
from eagley_core.load import ModelChoice
from eagley_core.target import Target
from tests.core.tiny import TinyEngine, tiny_draft, tiny_target


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def target() -> Target:
    return tiny_target()


@pytest.fixture(scope="module")
def engine() -> TinyEngine:
    """A tiny Llama with a random head."""
    target = tiny_target()
    return TinyEngine(target, tiny_draft(target))


@pytest.fixture(scope="session")
def fetched() -> None:
    """Get the default model when it is missing, as the README promises."""
    try:
        default_model.fetch()
    except default_model.ModelUnavailableError as error:
        pytest.skip(str(error))


def _lab(dtype: str) -> Lab:
    return open_lab(ModelChoice(dtype=dtype), None, lambda what, fraction: None)


@pytest.fixture(scope="session")
def lab_float32(fetched: None) -> Lab:
    return _lab("float32")


@pytest.fixture(scope="session")
def lab_bfloat16(fetched: None) -> Lab:
    return _lab("bfloat16")
