"""A chart of the whole run, fetched when it comes into sight."""

from typing import ClassVar

from components import theme
from components.elements.element import Element
from components.elements.viewer import PLOTLY_URL


class Chart(Element):
    """Value: {"key", "name"}: a comparison's key and a name of `CHARTS`. `side`: 0 or 1 when it is
    about one of the two trees' lanes, whose label then stands over it.

    A trace's `meta["pick"]` says what a click on it selects: {"method", "step": "x", "y" or
    "custom", "depth": "x", "y" or null}; a custom step is the point's customdata, or [method, step]
    there. The layout's `meta` has `alt` (for who cannot see), `min_width` (pixels) and `follow`, by
    lane: {"axis"} frames the selected step along an axis, {"boxes": [[x0, x1, y0, y1] per step]}
    where it was drawn.
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
