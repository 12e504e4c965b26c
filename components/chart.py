"""A chart of the whole run, fetched when it comes into sight."""

from typing import ClassVar

from components import theme
from components.element import Element
from components.viewer import PLOTLY_URL


class Chart(Element):
    """Value: {"key", "name"}: a comparison's key and a name of `CHARTS`.

    What the figure's `meta` says to the script is written in `components/charts.py`.
    """

    template = (
        "<div class='chart-box'><div class='chart-frame'>"
        "<div class='chart-plot' role='img' hidden></div></div></div>"
    )
    script = "chart"
    defaults: ClassVar = {
        "twins": theme.DARK_TWINS,
        "ring": theme.colour("ring"),
        "source": PLOTLY_URL,
    }
