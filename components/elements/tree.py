"""The draft tree of one lane at the selected step."""

from typing import ClassVar, Final

from components import theme
from components.elements.element import Element

ROLES: Final = {"ring": "ring", "lone": "purple"}


class Tree(Element):
    """`side`: 0 shows the lane of the view's left tree, 1 that of its right one."""

    template = (
        "<section class='tree-box'><div class='tree-frame' tabindex='0'>"
        "<svg class='tree-plot' role='img' hidden></svg></div></section>"
    )
    script = "tree"
    defaults: ClassVar = {
        "side": 0,
        "twins": theme.DARK_TWINS,
        "colours": {name: theme.colour(role) for name, role in ROLES.items()},
    }
