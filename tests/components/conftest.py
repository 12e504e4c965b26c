import pytest
from sample_traces import sample_traces
from tiny_trace import every_trace, tiny_trace

from components.selection import Comparison


@pytest.fixture(scope="session")
def sample():
    return Comparison("sky", sample_traces())


@pytest.fixture
def tiny():
    return tiny_trace()


@pytest.fixture
def every():
    return every_trace()
