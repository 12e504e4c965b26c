"""Where a visitor asks what another rule would have done with the trees."""

from typing import ClassVar

from components.elements.element import Element
from components.offers import what_if_rules


class WhatIf(Element):
    """The rule of the selection: one that is offered or typed, or none."""

    template = "<div class='what-if'></div>"
    script = "what_if"
    defaults: ClassVar = {"rules": what_if_rules()}
