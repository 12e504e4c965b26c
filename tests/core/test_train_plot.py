"""The learning curve is a drawing that any viewer reads, with the curve's own numbers."""

from xml.etree import ElementTree

from eagley_core.train.plot import HEIGHT, LEFT, TOP, WIDTH, learning_curve

CURVE = [
    {"tokens_seen": 1000, "loss": 4.0, "acceptance_by_depth": [0.0, 0.0]},
    {"tokens_seen": 4000, "loss": 2.0, "acceptance_by_depth": [1.0, 0.5]},
]
SVG = "{http://www.w3.org/2000/svg}"


def lines(text: str) -> dict[str, list[list[float]]]:
    """Each line's corners, by its name."""
    drawn = ElementTree.fromstring(text).findall(f"{SVG}polyline")
    return {
        line.findtext(f"{SVG}title"): [
            [float(part) for part in corner.split(",")] for corner in line.get("points").split()
        ]
        for line in drawn
    }


def test_lines_go_through_the_points_of_the_curve() -> None:
    drawn = lines(learning_curve(CURVE))
    assert list(drawn) == ["loss", "depth 1", "depth 2"]
    first, last = LEFT + WIDTH / 4, LEFT + WIDTH
    assert drawn["loss"] == [[first, TOP], [last, TOP + HEIGHT / 2]]
    assert [y for _, y in drawn["depth 1"]] == [TOP + HEIGHT, TOP]
    assert [y for _, y in drawn["depth 2"]] == [TOP + HEIGHT, TOP + HEIGHT / 2]


def test_a_curve_without_points_is_an_empty_drawing() -> None:
    assert lines(learning_curve([])) == {"loss": []}
