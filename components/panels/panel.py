"""The shape that all panels share, so that opening a comparison fills any of them together."""

from collections.abc import Callable
from typing import NamedTuple

from gradio.blocks import Block

from components.selection import Comparison


class Panel(NamedTuple):
    """A laid-out panel. `opened` gives a value for each of `outputs` when a comparison is opened.

    What follows the selection is no output: it is moved in the browser.
    """

    outputs: tuple[Block, ...]
    opened: Callable[[Comparison], tuple]
