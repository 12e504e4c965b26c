"""A chart of the whole run, fetched when it comes into sight."""

from typing import ClassVar

from components import theme
from components.element import Element
from components.viewer import PLOTLY_URL


class Chart(Element):
    """Value: {"key", "name"}: a comparison's key and a name of `CHARTS`. `side`: 0 or 1 when it is
    about one of the two trees' lanes, whose label then stands over it.

    What the figure's `meta` says to the script is written in `components/charts.py`.
    """

    template = (
        "<div class='chart-box'><div class='chart-frame'>"
        "<div class='chart-plot' role='group' hidden></div></div></div>"
    )
    script = "chart"
    defaults: ClassVar = {
        "side": None,
        "twins": theme.DARK_TWINS,
        "ring": theme.colour("ring"),
        "source": PLOTLY_URL,
    }
