"""What is known of the selected node."""

from components.elements.element import Element


class Card(Element):
    """Every recorded fact of the node that is selected in the walked lane."""

    template = "<aside class='card-box' aria-live='polite'></aside>"
    script = "card"
