"""The seed on losslessness, and what this project adds to it."""

from components.claims.commands import SUITES, TEMPERATURE, bench_command
from components.claims.coupling import place_told
from components.claims.kinds import Claim, counted, found, share
from components.claims.results import Result, Results, Row
from components.claims.rulings import Ruling, every
from components.words import ENGLISH, Words
from eagley_core.statistics import ratio_interval


def lossless(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.1, §6: the output is the target's own, token by token."""
    found_lanes = _lanes(results, say)
    findings = [
        one
        for label, (own, result) in found_lanes.items()
        for one in found(label, counted(own["identical_to_vanilla"], own["compared"], say), result)
    ]
    same = [own["identical_to_vanilla"] == own["compared"] for own, _ in found_lanes.values()]
    return Claim(
        key="lossless",
        section="§2.1, §6",
        title=say("The output keeps the target's distribution: it is lossless"),
        seed=say("“The output distribution is that of sampling the target”; “lossless speed-up”."),
        findings=tuple(findings),
        ruling=Ruling(
            every(same),
            say("It holds where every output that was measured is vanilla's, token by token."),
        ),
        command=f"{bench_command(results.bench)}; {TEMPERATURE}",
        note=say(
            "This is so for the rule `exact`, which is this project's and not the seed's: with "
            "noise keyed by position, vanilla is sampled with the same noise at every temperature."
        ),
    )


def _lanes(results: Results, say: Words) -> dict[str, tuple[Row, Result]]:
    """Figures of EAGLE and EAGLEY wherever the rule was exact, by what is said of them."""
    cases = [(say("greedy"), one.data, one) for one in (results.bench,) if one]
    if results.temperature:
        points = results.temperature.data["points"]
        cases += [(place_told(point, say), point, results.temperature) for point in points]
    return {
        say("Outputs identical to vanilla, {case}: {lane}", case=case, lane=lane.upper()): (
            data["methods"][lane],
            result,
        )
        for case, data, result in cases
        for lane in ("eagle", "eagley")
        if lane in data["methods"]
    }


def literal(results: Results, say: Words = ENGLISH) -> Claim:
    """§3.2, §4.1: the seed's loop as it is written."""
    result, own = _literal_rows(results)
    findings, exact = (), None
    if result:
        same = [row["identical_to_vanilla"] for row in own]
        counts = [(row["differing_tokens"], row["new_tokens"]) for row in own]
        other = ratio_interval(*zip(*counts, strict=True))
        exact = all(same)
        findings = (
            *found(say("Tokens that differ from vanilla's"), share(other, say), result),
            *found(say("Outputs identical to vanilla"), counted(sum(same), len(same), say), result),
        )
    return Claim(
        key="literal",
        section="§3.2, §4.1",
        title=say("A rejected token can be skipped and its context kept"),
        seed=say("“Key of EAGLEY: reuse the hidden state, skip the token but keep the context.”"),
        findings=findings,
        ruling=Ruling(
            every([exact]), say("It holds where the outputs of this loop are vanilla's.")
        ),
        command=SUITES,
        note=say(
            "The seed's code adds no token after a rejection and can stall; here a correction "
            "token is added when nothing passes, and the loop is a rule, `seed-literal`."
        ),
    )


def _literal_rows(results: Results) -> tuple[Result | None, list[Row]]:
    """The runs under that rule, in whichever bench has some."""
    for result in (*results.named(), *results.others):
        rows = result.data.get("rows", ())
        own = [row for row in rows if row.get("rule", "").startswith("seed-literal")]
        if own:
            return result, own
    return None, []
