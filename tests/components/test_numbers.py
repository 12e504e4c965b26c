from dataclasses import replace

from components.numbers import about, headline, identity, numbers, speed_up


def test_every_number_has_a_definition(sample):
    for trace in sample.traces:
        found = numbers(trace, sample.lanes["vanilla"])
        assert all(number.definition.endswith(".") for number in found)


def test_speed_up_is_against_the_measured_lane(sample):
    vanilla, eagle = sample.lanes["vanilla"], sample.lanes["eagle"]
    ratio = speed_up(eagle, vanilla)
    assert f"{ratio:.2f}×" in headline(eagle, vanilla)
    assert speed_up(eagle, None) is None


def test_identity_says_where_a_lane_first_differs(sample):
    vanilla, eagle = sample.lanes["vanilla"], sample.lanes["eagle"]
    assert identity(eagle, vanilla).startswith("Identical")
    ids = (*eagle.output_ids[:4], 0, *eagle.output_ids[5:])
    differing = replace(eagle, output_ids=ids)
    assert "first at token 5" in identity(differing, vanilla)


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
