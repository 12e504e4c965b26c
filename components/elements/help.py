"""The keys of the page, over it when `?` is pressed."""

from components.elements.element import Element


class Help(Element):
    """Opened by the key and by the bar's button."""

    template = "<dialog class='help'></dialog>"
    script = "help"
