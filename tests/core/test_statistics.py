"""The interval of a quotient of two speeds."""

import pytest

from eagley_core.statistics import Paces, quotient_interval

UNEVEN = Paces([1, 2, 3, 4] * 8, [1.0, 1.0, 2.0, 1.5] * 8)


def test_steps_without_scatter_leave_no_doubt():
    own, base = Paces([2] * 5, [1.0] * 5), Paces([1] * 9, [2.0] * 9)
    assert quotient_interval(own, base) == pytest.approx((4.0, 4.0, 4.0))


def test_the_quotient_is_of_the_sums_and_lies_in_its_interval():
    found = quotient_interval(UNEVEN, Paces([1] * 10, [0.5] * 10))
    assert found.median == pytest.approx((80 / 44) / 2)
    assert found.low < found.median < found.high


def test_more_steps_narrow_the_interval():
    base = Paces([1], [1.0])
    few, many = (
        quotient_interval(Paces(UNEVEN.amounts * n, UNEVEN.seconds * n), base) for n in (1, 16)
    )
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(4, rel=0.25)


def test_a_run_without_steps_has_no_quotient():
    assert quotient_interval(Paces([], []), UNEVEN) == (None, None, None)
    assert quotient_interval(UNEVEN, Paces([], [])) == (None, None, None)
