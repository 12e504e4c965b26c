"""Randomness is a function of (seed, position), and makes exact samples."""

import math

import numpy as np
import pytest
import torch

from eagley_core.config import DecodeConfig
from eagley_core.sampling import DRAW, TOKEN, Noise, _unit, choices, gumbel, processed, uniform

V = 12
N_KEYS = 20_000
CPU = torch.device("cpu")


def test_the_streams_never_change():
    """Recorded runs depend on these values: a change of the generator would break them."""
    assert uniform(0, 0, TOKEN, 3).tolist() == [
        0.011546754286331617,
        0.24154919656271817,
        0.11142585551493828,
    ]
    assert uniform(7, 41, DRAW, 2).tolist() == [0.37963929159989945, 0.6352454151842708]
    assert gumbel(3, 5, 2).tolist() == pytest.approx(
        [3.4412644276284285, 0.44184806210990557], rel=1e-15
    )


def test_uniforms_lie_within_0_and_1_without_the_ends():
    ends = _unit(np.array([0, 2**64 - 1], dtype=np.uint64))
    assert 0 < ends[0] < 1e-15
    assert 1 - 1e-15 < ends[1] < 1
    assert np.isfinite(-np.log(-np.log(ends))).all()


def test_a_longer_vector_starts_with_the_shorter_one():
    assert uniform(1, 2, DRAW, 9)[:4].tolist() == uniform(1, 2, DRAW, 4).tolist()


def test_every_part_of_the_key_counts():
    keys = [(0, 0, TOKEN), (1, 0, TOKEN), (0, 1, TOKEN), (0, 0, DRAW), (2**64 - 1, 0, TOKEN)]
    firsts = {float(uniform(*key, 1)[0]) for key in keys}
    assert len(firsts) == len(keys)


def test_gumbel_noise_has_the_mean_and_the_variance_of_gumbels_law():
    """Of 400,000 values; either bound is five standard errors wide: false alarm below 1e-6."""
    values = torch.cat([gumbel(0, position, 4000) for position in range(100)])
    n = len(values)
    variance = math.pi**2 / 6
    assert abs(float(values.mean()) - 0.5772156649) < 5 * math.sqrt(variance / n)
    # The fourth central moment of Gumbel's law is 5.4 times the squared variance.
    assert abs(float(values.var()) - variance) < 5 * variance * math.sqrt(4.4 / n)


def test_noise_is_the_same_whether_asked_for_once_or_twice_and_in_whatever_step():
    config = DecodeConfig(temperature=1.0, seed=9)
    whole = Noise(config, V, CPU).at(5, 8)
    parts = Noise(config, V, CPU)
    assert torch.equal(torch.cat([parts.at(5, 3), parts.at(8, 5)]), whole)
    assert torch.equal(parts.at(10, 3), whole[5:])
    assert torch.equal(whole[2], gumbel(9, 7, V).float())


def test_there_is_no_noise_at_temperature_0():
    assert Noise(DecodeConfig(temperature=0), V, CPU).at(0, 3) is None


def chi_square(counts: torch.Tensor, p: torch.Tensor) -> float:
    expected = p * counts.sum()
    support = p > 0
    assert counts[~support].sum() == 0, "a token outside the processed distribution was drawn"
    return float(((counts - expected)[support] ** 2 / expected[support]).sum())


def sampled(scores: torch.Tensor, seed: int) -> torch.Tensor:
    noise = torch.stack([gumbel(seed, position, V) for position in range(N_KEYS)]).float()
    return choices(scores.expand(N_KEYS, -1), noise).bincount(minlength=V).double()


# Chi-square with V - 1 = 11 degrees of freedom exceeds this with a chance of 6e-7.
CRITICAL = 50.3
LAWS = [
    {"temperature": 0.3},
    {"temperature": 1.0},
    {"temperature": 2.0},
    {"temperature": 1.0, "top_p": 0.8},
    {"temperature": 1.0, "top_k": 1},
    {"temperature": 1.5, "top_k": 5, "top_p": 0.9},
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_tokens_are_samples_of_the_processed_distribution(law):
    """Chi-square over 20,000 positions; false alarm below 1e-6 per law."""
    config = DecodeConfig(**law)
    logits = torch.randn(1, V, generator=torch.Generator().manual_seed(1))
    scores = processed(logits, config, None)
    p = scores[0].double().softmax(-1)
    assert chi_square(sampled(scores, seed=11), p) < CRITICAL


def test_the_same_check_notices_a_temperature_off_by_a_fifth():
    logits = torch.randn(1, V, generator=torch.Generator().manual_seed(1))
    scores = processed(logits, DecodeConfig(temperature=1.2), None)
    assert chi_square(sampled(scores, seed=11), logits[0].double().softmax(-1)) > 2 * CRITICAL


def test_positions_are_independent():
    """Pairs of neighbours, 10,000 of them, over 16 cells; false alarm 7e-7 (15 degrees)."""
    picked = choices(torch.zeros(1, 4), torch.stack([gumbel(2, i, 4) for i in range(N_KEYS)]))
    pairs = (picked[::2] * 4 + picked[1::2]).bincount(minlength=16).double()
    expected = N_KEYS / 2 / 16
    assert float(((pairs - expected) ** 2 / expected).sum()) < 57.6
