"""`calibrate` on a tiny target: a prior of this draft, read beside it."""

from eagley_core.config import DecodeConfig
from eagley_core.lab import Lab
from eagley_core.prior_fit import fitted
from eagley_core.prompt_file import PromptLine
from tests.core.test_bench import Letters
from tests.core.tiny import TinyEngine, tiny_draft, tiny_target

LINES = [PromptLine(str(n), "test", "fj8HcrPfj") for n in range(2)]


def test_every_tested_candidate_counts_and_each_family_has_a_curve():
    target = tiny_target()
    lab = Lab(TinyEngine(target, tiny_draft(target)), Letters(), "tiny")
    told: list[int] = []
    configs = [
        DecodeConfig(method, 24, temperature=temperature)
        for method in ("eagle", "eagley")
        for temperature in (0.0, 1.0)
    ]
    prior, count = fitted(lab, LINES, configs, told.append)
    assert told == [1, 2]
    assert count > 50
    assert {"drafted alone", "drafted alone coupled"} <= prior.curves.keys()
    assert any("recycled" in family for family in prior.curves)
