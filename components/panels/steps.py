"""The navigator bar."""

from collections.abc import Callable

from components.elements.navigator import Navigator
from components.panels.panel import Panel
from components.selection import Comparison
from components.view import view
from components.words import ENGLISH, Words


def build(comparison: Comparison | None, answers: list[Callable], say: Words = ENGLISH) -> Panel:
    """A bar that stays in sight while the panels scroll. `answers`: see `serving`."""
    bar = Navigator(
        view(comparison, say) if comparison else None,
        server_functions=answers,
        elem_id="navigator",
        say=say,
    )
    return Panel((bar,), lambda found: (view(found, say),))
