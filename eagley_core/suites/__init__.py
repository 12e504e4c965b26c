"""Benchmarks as others publish them: their files in, questions and verdicts out."""

from eagley_core.suites import gsm8k, humaneval, mmlu, scenarios, spec_bench
from eagley_core.suites.suite import Suite

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (spec_bench.SUITE, gsm8k.SUITE, humaneval.SUITE, mmlu.SUITE, scenarios.SUITE)
}
