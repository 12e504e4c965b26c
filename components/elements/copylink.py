"""Copies the address of exactly this view."""

from components.elements.element import Element


class CopyLink(Element):
    template = "<button type='button' class='copylink'></button>"
    script = "copylink"
