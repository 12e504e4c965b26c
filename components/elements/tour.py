"""The guided walk: a button, then a card over the page that leads from station to station."""

from components.elements.element import Element


class Tour(Element):
    """Draws `eagley.view.tour`, which `stations` makes. It moves the selection as people do."""

    template = (
        "<div class='tour'><button type='button' class='start' hidden></button>"
        "<div class='halo' hidden></div>"
        "<section class='guide' role='dialog' aria-live='polite' hidden></section></div>"
    )
    script = "tour"
