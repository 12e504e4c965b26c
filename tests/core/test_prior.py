"""The fitted prior: families, curves, and its file."""

import math
import random

import pytest

from eagley_core.prior import Evidence, Prior, fit, load_prior, save_prior

DRAFTED = Evidence(1, 0.5, True, "", None)
STORED = Evidence(1, None, False, "recycled-2", 0.5)


def drawn(evidence: Evidence, chance: float, count: int) -> list[tuple[Evidence, bool]]:
    source = random.Random(0)
    return [(evidence, source.random() < chance) for _ in range(count)]


def test_what_both_name_is_likelier_than_what_one_names_before_any_fit():
    prior = Prior()
    both = Evidence(1, 0.5, True, "recycled-2", 0.5)
    refused = Evidence(1, None, True, "recycled-2", 0.5)
    assert prior.probability(both) > prior.probability(DRAFTED) > prior.probability(STORED)
    assert prior.probability(refused) < prior.probability(STORED)


def test_a_fit_recovers_the_frequencies_of_its_data():
    rows = [(p, c) for p, c in ((0.1, 0.05), (0.5, 0.3), (0.9, 0.8))]
    outcomes = [o for p, c in rows for o in drawn(DRAFTED._replace(draft=p), c, 4000)]
    prior = fit(outcomes)
    for p, chance in rows:
        assert prior.probability(DRAFTED._replace(draft=p)) == pytest.approx(chance, abs=0.04)


def test_a_family_of_few_stays_near_its_start():
    near, far = fit(drawn(STORED, 1.0, 1)), fit(drawn(STORED, 1.0, 500))
    start = Prior().probability(STORED)
    assert abs(near.probability(STORED) - start) < 0.1
    assert far.probability(STORED) > 0.9


def test_a_fit_settles_where_what_was_sure_is_half_refused():
    """Plain Newton steps overshoot here, and never come back."""
    sure = [STORED._replace(stored=0.9999, depth=1 + n % 3) for n in range(60)]
    prior = fit([(evidence, n % 2 == 0) for n, evidence in enumerate(sure)])
    (curve,) = prior.curves.values()
    assert max(map(abs, curve)) < 3
    assert prior.probability(sure[0]) == pytest.approx(0.5, abs=0.1)


def test_families_do_not_touch_each_other():
    prior = fit(drawn(DRAFTED, 0.9, 300))
    assert prior.probability(STORED) == Prior().probability(STORED)


@pytest.mark.parametrize("probability", [0.0, 1e-30, 1.0, 1.0000001])
def test_extreme_probabilities_stay_finite(probability):
    evidence = Evidence(9, probability, True, "recycled-1", probability)
    assert 0 < Prior({evidence.family: (5, 9, 9, -3)}).probability(evidence) < 1
    assert all(math.isfinite(x) for x in evidence.inputs)


def test_a_file_reads_as_it_was_written(tmp_path):
    prior = fit(drawn(DRAFTED, 0.4, 50))
    save_prior(prior, tmp_path / "prior.json", {"prompts": 3})
    assert load_prior(tmp_path / "prior.json").curves == prior.curves


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"format": "else"}', '{"format": "eagley-prior", "curves": {"drafted": [1]}}'],
)
def test_another_file_is_refused_by_name(tmp_path, text):
    path = tmp_path / "prior.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"prior.json holds no prior"):
        load_prior(path)
