"""The link to the page in the other language."""

from typing import ClassVar

from components.elements.element import Element


class Language(Element):
    """`language`: of this page."""

    template = "<a class='language'></a>"
    script = "language"
    defaults: ClassVar = {"language": "en"}
