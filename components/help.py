"""The keys of the page, over it when `?` is pressed."""

from components.element import Element


class Help(Element):
    template = "<dialog class='help'></dialog>"
    script = "help"
