"""The facts of a figure as a table: sorted by a click, copied as CSV."""

from typing import ClassVar

from components.elements.element import Element


class Table(Element):
    """Value: {"columns", "rows"}; or None with `chart`, whose twin it is, or with `side`, the tree
    whose nodes it lists. Folded until opened; `label` is what it says then."""

    template = "<details class='table-fold'></details>"
    script = "table"
    defaults: ClassVar = {"chart": "", "side": None, "open": False}
