"""The bar that moves the selection: slider, steps of each lane, buttons."""

from components.elements.element import Element


class Navigator(Element):
    """Value: `view(…)` of the comparison on the page, or None. Opens it in the browser's store.

    Option `server_functions`: `packets`, `chart` and `judge`, each called with one list of what the
    store asks for: (key, method, first, stop), (key, name), (key, method, step, rule).
    """

    template = "<div class='navigator' role='group' hidden></div>"
    script = "navigator"
