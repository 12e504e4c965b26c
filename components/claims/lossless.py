"""The seed on losslessness, and what this project adds to it."""

from components.claims.commands import LITERAL, TEMPERATURE, bench_command
from components.claims.kinds import Claim, counted, found, share
from components.claims.results import Result, Results, Row, per_run, runs
from components.claims.rulings import Ruling, every
from components.words import ENGLISH, Words
from eagley_core.statistics import ratio_interval


def lossless(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.1, §6: the output is the target's own, token by token."""
    cases = [(say("greedy"), one) for one in (results.bench,) if one]
    cases += list(temperatures(results, say).items())
    findings, same = [], []
    for case, result in cases:
        for lane in ("eagle", "eagley"):
            own = [row["identical_to_vanilla"] for row in runs(result.data, lane)]
            same.append(all(own) if own else None)
            findings += found(
                say("Outputs identical to vanilla, {case}: {lane}", case=case, lane=lane.upper()),
                counted(sum(own), len(own), say) if own else None,
                result,
            )
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


def temperatures(results: Results, say: Words) -> dict[str, Result]:
    """Benches at temperature 1, coupled and uncoupled, of one file or of two."""
    labels = {
        "coupled": say("temperature 1, coupled drafting"),
        "uncoupled": say("temperature 1, uncoupled"),
    }
    found = {}
    for result in results.temperature:
        kind = "uncoupled" if "uncoupled" in result.name else "coupled"
        parts = {kind: result.data} if "rows" in result.data else result.data
        found |= {k: Result(result.name, parts[k]) for k in labels if k in parts}
    return {labels[kind]: found[kind] for kind in labels if kind in found}


def coupling(results: Results, say: Words = ENGLISH) -> Claim:
    """Not the seed's: what knowing the noise brings at temperature 1."""
    cases = temperatures(results, say)
    rates = {case: per_run(one.data, "eagle", _rate) for case, one in cases.items()}
    findings = [
        one
        for case, rate in rates.items()
        for one in found(
            say("Acceptance per level, EAGLE, {case}", case=case), share(rate, say), cases[case]
        )
    ]
    known = list(rates.values())
    apart = known[0].low > known[1].high if len(known) == 2 else None
    return Claim(
        key="coupling",
        section=say("beside the seed"),
        title=say("At temperature 1, drafting with the position's noise is accepted more often"),
        seed=say("The seed does not have this; it is what keyed noise makes possible."),
        findings=tuple(findings),
        ruling=Ruling(every([apart]), say("It holds where the two intervals do not meet.")),
        command=TEMPERATURE,
    )


def _rate(row: Row) -> float | None:
    return row["acceptance_rate"]


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
        command=LITERAL,
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
