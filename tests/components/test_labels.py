import pytest

from components.labels import drawn, percent, short, size, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [(" the", "·the"), ("\n", "↵"), ("  ", "··"), ("", "∅"), ("a b", "a b"), ("x ", "x·")],
)
def test_blanks_and_line_ends_are_visible(text, shown):
    assert visible(text) == shown


def test_markup_is_drawn_as_text():
    assert drawn("<b>&") == "&lt;b&gt;&amp;"


def test_long_tokens_are_cut():
    assert short("x" * 40) == "x" * 13 + "…"


def test_many_blanks_are_counted():
    assert short("\n       ") == "↵·×7"
    assert short("   x") == "···x"


def test_a_share_that_does_not_exist_is_a_dash():
    assert percent(None) == "–"
    assert [percent(share) for share in (0, 0.0001, 0.25)] == ["0.0%", "<0.1%", "25.0%"]


def test_sizes_are_in_binary_units():
    assert [size(n) for n in (0, 1023, 1024, 1536 * 1024)] == [
        "0 B",
        "1,023 B",
        "1.0 KiB",
        "1.5 MiB",
    ]
