"""The menu of what the open run can be saved as."""

from typing import ClassVar, Final

from components.elements.element import Element
from components.words import Phrase

KINDS: Final = {
    "trace": Phrase("Trace (.json.gz)"),
    "json": Phrase("JSON"),
    "csv": Phrase("CSV tables"),
    "html": Phrase("Web page"),
    "perfetto": Phrase("Perfetto"),
}


class Save(Element):
    """`kinds`: {name: label}. Option `server_functions`: `save`, see `saving`."""

    template = "<div class='save' role='group'></div>"
    script = "save"
    defaults: ClassVar = {"kinds": {}}
