from dataclasses import replace
from typing import get_args

import pytest

from components.numbers import headline, numbers
from components.outcome import ENDINGS, about, ending, identity
from components.speed_up import speed_up, speed_up_interval
from eagley_core.rule import Rule
from eagley_core.trace import FinishReason


def test_every_number_has_a_definition(sample):
    for trace in sample.traces:
        found = numbers(trace, sample.lanes["vanilla"])
        assert all(number.definition.endswith(".") for number in found)


def test_speed_up_is_against_the_measured_lane(sample):
    vanilla, eagle = sample.lanes["vanilla"], sample.lanes["eagle"]
    ratio = speed_up(eagle, vanilla)
    assert f"{ratio:.2f}×" in headline(eagle, vanilla)
    assert speed_up(eagle, None) is None


def test_the_interval_holds_the_speed_up_and_one_run_against_itself_is_even(sample):
    vanilla, eagle = sample.lanes["vanilla"], sample.lanes["eagle"]
    found = speed_up_interval(eagle, vanilla)
    assert found.median == pytest.approx(speed_up(eagle, vanilla))
    assert found.low < found.median < found.high
    assert speed_up_interval(eagle, None).low is None
    even = speed_up_interval(eagle, eagle)
    assert even.low < 1 < even.high


def test_numbers_by_hand(tiny):
    """One step: levels 1 and 2 accepted of 2 tested, 2 nodes of 4, 3 of them tested."""
    found = {number.label: number for number in numbers(tiny, None)}
    assert found["Mean accepted length τ"].value == "3.00 (2.00 without the bonus)"
    assert "= 3 ÷ 1; without the bonus 2 ÷ 1." in found["Mean accepted length τ"].definition
    assert found["Acceptance rate"].value == "100.0% (2/2)"
    assert found["Node acceptance"].value == "50.0% (2/4)"
    assert "nodes drafted = 2 ÷ 4; ÷ nodes tested = 2 ÷ 3." in found["Node acceptance"].definition
    assert found["Speed-up"].value == "no vanilla lane"


def test_memory_is_told_in_rows_or_bytes(tiny):
    def told(trace):
        return next(n.value for n in numbers(trace, None) if n.label == "Memory at most")

    steps = (tiny.steps[0], replace(tiny.steps[1], store_bytes=65 * 100))
    assert told(replace(tiny, steps=steps)) == "store 6.3 KiB; cache 6 rows"
    assert told(replace(tiny, steps=steps, row_bytes=1024)) == "store 6.3 KiB; cache 6.0 KiB"


def test_identity_says_where_a_lane_first_differs(sample):
    vanilla, eagle = sample.lanes["vanilla"], sample.lanes["eagle"]
    assert identity(eagle, vanilla).startswith("Identical")
    ids = (*eagle.output_ids[:4], 0, *eagle.output_ids[5:])
    differing = replace(eagle, output_ids=ids)
    assert "first at token 5" in identity(differing, vanilla)


@pytest.mark.parametrize(
    ("margin", "rule", "told"),
    [(9e-5, "exact", "a numerical tie"), (1.0, "exact", "not exact"), (1.0, "top-k:2", "was 1")],
)
def test_a_difference_is_a_tie_a_failure_or_the_rule_s(tiny, margin, rule, told):
    step = replace(tiny.steps[0], after_root=replace(tiny.steps[0].after_root, margin=margin))
    config = replace(tiny.config, method="vanilla")
    environment = replace(tiny.environment, dtype="float32")
    vanilla = replace(tiny, steps=(step, *tiny.steps[1:]), config=config, environment=environment)
    config = replace(tiny.config, rule=Rule.parse(rule))
    differing = replace(tiny, output_ids=(5, *tiny.output_ids[1:]), config=config)
    assert identity(differing, vanilla).endswith(f"{told}.")


def test_every_ending_has_its_sentence(tiny):
    assert set(ENDINGS) == set(get_args(FinishReason))
    assert ending(tiny) == "4 tokens; ended at the length limit."


def test_a_cancelled_lane_is_identical_as_far_as_it_goes(sample):
    vanilla = sample.lanes["vanilla"]
    short = replace(
        vanilla,
        steps=vanilla.steps[:3],
        output_ids=vanilla.output_ids[:3],
        pieces=vanilla.pieces[:3],
    )
    assert "as far as" in identity(short, vanilla)


def test_about_names_what_times_depend_on(sample):
    line = about(sample.lanes["eagle"])
    for fact in ("SmolLM2", "bfloat16", "2 threads", "torch 2.13", "seed 0"):
        assert fact in line


def test_a_lent_device_gives_no_speed_up(sample):
    vanilla, *_, eagley = (
        replace(trace, environment=replace(trace.environment, lent=True)) for trace in sample.traces
    )
    assert speed_up(eagley, vanilla) is None
    assert headline(eagley, vanilla).endswith("not comparable")
    gain = next(n for n in numbers(eagley, vanilla) if n.label == "Speed-up")
    assert gain.value == "not compared"
    assert "not comparable" in about(eagley)
