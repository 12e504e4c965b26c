"""The seed on acceptance: as high as EAGLE's, by rules that keep the target's law."""

from collections.abc import Callable
from statistics import fmean

from components.claims.commands import RULE_SPEEDS, RULES, bench_command
from components.claims.kinds import Claim, Table, found, number, percent, read_interval, share
from components.claims.places import gain_at
from components.claims.results import Result, Results, Row, differences, pairs, per_run, runs
from components.claims.rulings import UNKNOWN, Ruling, above, every
from components.figures.claim_depths import depths_figure
from components.figures.claim_rules import rules_figure
from components.words import ENGLISH, Words
from eagley_core.statistics import Interval, median_interval

ZERO = 1e-9  # of a total variation, but for rounding
SEED = 0.8  # the seed's threshold


def acceptance(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.3: both rates, and their difference question by question."""
    bench = results.bench
    gap, rates = UNKNOWN, {}
    if bench:
        gap = median_interval(differences(pairs(bench.data, "eagley", "eagle"), _rate))
        rates = {"EAGLE": _rates(bench, "eagle"), "EAGLEY": _rates(bench, "eagley")}
    findings = [
        one
        for lane, (rate, length) in rates.items()
        for one in (
            *found(
                say("Acceptance rate per level, median per question: {lane}", lane=lane),
                share(rate, say),
                bench,
            ),
            *found(
                say("Mean accepted length, median per question: {lane}", lane=lane),
                number(length, say),
                bench,
            ),
        )
    ]
    label = say("Acceptance rate, EAGLEY minus EAGLE on the same question")
    return Claim(
        key="acceptance",
        section="§2.3",
        title=say("EAGLEY's acceptance rate is EAGLE's, but for a small ε"),
        seed=say("“α_EAGLEY ≥ α_standard − ε”, with ε “usually negligible in practice”."),
        findings=(*findings, *found(label, number(gap, say, 3), bench)),
        ruling=above(gap, 0, say),
        command=bench_command(bench),
        figure=depths_figure(_depths(bench), say) if bench else None,
        note=say(
            "The bound is an ε of 0, since the output is exact. Where a rate falls while the "
            "accepted length grows, more levels are tested: reused nodes reach deeper."
        ),
    )


def _rate(row: Row) -> float | None:
    return row["acceptance_rate"]


def _rates(bench: Result, lane: str) -> tuple[Interval, Interval]:
    length = per_run(bench.data, lane, lambda row: row["mean_accepted_length"])
    return per_run(bench.data, lane, _rate), length


def _depths(bench: Result) -> dict[str, list[tuple[float, int]]]:
    """By lane and depth: the mean rate over the runs that reach it, and how many they are."""
    found = {}
    for lane in ("eagle", "eagley"):
        rates = [row["acceptance_by_depth"] for row in runs(bench.data, lane)]
        deepest = max(map(len, rates))
        by_depth = [[rate[i] for rate in rates if len(rate) > i] for i in range(deepest)]
        found[lane] = [(fmean(own), len(own)) for own in by_depth]
    return found


def rules(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.1, §3.2, §4.1: the seed's rules, as they err."""
    found_rules = results.rules
    rows = found_rules.data["rules"] if found_rules else []
    seeds = [row for row in rows if row["rule"].startswith("seed-")]
    exact = [row["total_variation"] <= ZERO for row in seeds]
    own = [row for row in seeds if row["rule"] == f"seed-threshold:{SEED:g}"]
    findings = [
        one
        for row in own
        for one in found(
            say(
                "Acceptance at temperature {temperature}: p ≥ {bound}, and a rule without error",
                bound=f"{SEED:g}",
                temperature=f"{row['temperature']:g}",
            ),
            say(
                "{own} and {other}",
                own=f"{row['acceptance']:.2f}",
                other=f"{row['lossless_acceptance']:.2f}",
            ),
            found_rules,
        )
    ]
    return Claim(
        key="rules",
        section="§2.1, §3.2, §4.1",
        title=say("The seed's acceptance rules keep the target's distribution"),
        seed=say(
            "“The optimal policy accepts where r · min(1, q_θ/p_φ) ≥ τ”; in the code, p ≥ 0.8; in "
            "a comment, top-k."
        ),
        findings=tuple(findings),
        ruling=Ruling(
            every(exact),
            say(
                "It holds where the total variation of the seed's rules is 0 at every threshold "
                "and temperature, in part where it is at some."
            ),
        ),
        command=f"{RULES}; {RULE_SPEEDS}",
        table=_rules_table(found_rules, results.rule_speeds, say) if found_rules else None,
        figure=rules_figure(rows, say) if rows else None,
        note=say(
            "Total variation is that of one step's output from the target's, given the tree; at "
            "temperature 0 it is the chance of another token. `lenience` is the yardstick: what "
            "it accepts at the same error."
        ),
    )


def _rules_table(found_rules: Result, speeds: Result | None, say: Words) -> Table:
    columns = (
        say("temperature"),
        say("rule"),
        say("accepted length"),
        say("acceptance"),
        say("without error"),
        say("total variation"),
        say("KL, nats"),
        say("tokens not the target's own"),
        say("lenience of equal error accepts"),
        say("speed-up over vanilla"),
    )
    rows = [
        (
            f"{row['temperature']:g}",
            row["rule"],
            f"{row['mean_accepted_length']:.2f}",
            number(read_interval(row["acceptance_interval"]), say, 3) or "–",
            f"{row['lossless_acceptance']:.3f}",
            number(read_interval(row["total_variation_interval"]), say, 4) or "–",
            _known(row["divergence"], "{:.3f}".format),
            _known(row["mismatch_rate"], percent),
            f"{row['lenience_acceptance']:.3f}",
            gain_at(speeds, {"temperature": row["temperature"], "rule": row["rule"]}, "eagle", say),
        )
        for row in found_rules.data["rules"]
    ]
    sources = tuple(one.name for one in (found_rules, speeds) if one)
    return Table(say("Every rule on the same steps"), columns, tuple(rows), sources)


def _known(value: float | None, told: Callable[[float], str]) -> str:
    """A dash where a figure has no meaning: divergence without a law, mismatches with one."""
    return "–" if value is None else told(value)
