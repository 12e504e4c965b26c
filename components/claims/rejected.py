"""The seed on rejected tokens: thrown away, still of use, kept at little cost."""

from components.claims.commands import ablation_command, bench_command
from components.claims.kinds import Claim, Finding, counted, found, number, percent, share
from components.claims.results import Result, Results, Row, pairs, per_run, ratios
from components.claims.rulings import UNKNOWN, Ruling, above, every, share_interval
from components.words import ENGLISH, Words
from eagley_core.statistics import Interval, median_interval

REUSED, CONTROLS = "recycled:rejected", ("more-draft", "ngram")


def discarded(results: Results, say: Words = ENGLISH) -> Claim:
    """§1.1, with what came back of it."""
    bench, lanes = results.bench, {"EAGLE": UNKNOWN, "EAGLEY": UNKNOWN}
    if bench:
        lanes = {name: per_run(bench.data, name.lower(), _discarded) for name in lanes}
    findings = [
        one
        for lane, own in lanes.items()
        for one in found(
            say("Verified rows that were discarded, share per question: {lane}", lane=lane),
            share(own, say),
            bench,
        )
    ]
    return Claim(
        key="discarded",
        section="§1.1",
        title=say("What follows a rejected token is thrown away"),
        seed=say("“Once a token is rejected, all later draft tokens must be discarded.”"),
        findings=(*findings, *came_back(results.ablation, say)),
        ruling=above(lanes["EAGLE"], 0.5, say),
        command=bench_command(bench),
        note=say(
            "Discarded are the rows of a pass that are neither the root nor accepted: siblings "
            "too, of which no tree can have all accepted."
        ),
    )


def _discarded(row: Row) -> float | None:
    return row["rows_discarded"] / row["rows_verified"] if row["rows_verified"] else None


def came_back(ladder: Result | None, say: Words = ENGLISH) -> tuple[Finding, ...]:
    """What EAGLEY had back, by the ablation."""
    reuse = ladder.data["reuse"].get("all") if ladder else None
    if not reuse:
        return ()
    only, rejected, oracle = reuse["returned"]["only"], reuse["rejected_share"], reuse["oracle"]
    return (
        *found(
            say("Steps after a rejection with an accepted node that the draft had not proposed"),
            _share(only, say),
            ladder,
        ),
        *found(
            say("Of these accepted nodes, kept from a rejected row"), _share(rejected, say), ladder
        ),
        *found(
            say("Rejections after which the store had the next token and EAGLE's own tree had not"),
            _share(reuse.get("missed_by_eagle"), say),
            ladder,
        ),
        *found(
            say("Tokens per step that the store would have added, had all of it been verified"),
            f"{oracle['added_per_step']:.2f}",
            ladder,
        ),
    )


def _share(counts: Row | None, say: Words) -> str | None:
    if not counts or not counts["tested"]:
        return None
    told = share(share_interval(counts["hits"], counts["tested"]), say)
    return say("{share}, {counts}", share=told, counts=counted(*_counts(counts), say))


def _counts(counts: Row) -> tuple[int, int]:
    return counts["hits"], counts["tested"]


def informative(results: Results, say: Words = ENGLISH) -> Claim:
    """§1.2 and §2.2, observation 2: reused nodes against the two controls."""
    ladder = results.ablation
    rates = _rates(ladder)
    labels = {
        REUSED: say("Recycled from rejected rows only"),
        "recycled:accepted": say("Recycled from rows that stayed only"),
        "recycled": say("Recycled from all rows"),
        "suffix": say("Rest of the rejected branch"),
        "more-draft": say("Control: more nodes of the draft"),
        "ngram": say("Control: n-grams of the text"),
    }
    findings = [
        one
        for name, label in labels.items()
        if name in rates
        for one in found(label, share(rates[name], say), ladder)
    ]
    findings += worth(ladder, say)
    return Claim(
        key="informative",
        section="§1.2, §2.2",
        title=say("Rejected tokens still carry information"),
        seed=say(
            "“Even when a draft token is rejected, its hidden state still holds valuable semantic "
            "information”, and reusing it saves computation."
        ),
        findings=tuple(findings),
        ruling=Ruling(
            beats(rates, REUSED, CONTROLS),
            say(
                "It holds where nodes from rejected rows bring what the draft had not more often "
                "than both controls, by intervals that do not meet; in part where they beat one."
            ),
        ),
        command=ablation_command(ladder),
        note=say(
            "By channel: the share of the steps after a rejection on whose accepted path there was "
            "a node that the draft had not proposed; the first control has some only where a step "
            "was not drafted. Accepted of the verified nodes: what the rows of all channels "
            "together brought."
        ),
    )


def worth(ladder: Result | None, say: Words = ENGLISH) -> list[Finding]:
    """Whether the rows of stored nodes pay."""
    own = ladder.data["reuse"].get("all") if ladder else None
    if not own or not own.get("price"):
        return []
    labels = {
        "rejected": say("Accepted of the verified nodes from rejected rows that the draft had not"),
        "accepted": say("Accepted of the verified nodes from rows that stayed, likewise"),
        "prefill": say("Accepted of the verified nodes from the prompt, likewise"),
        "draft": say("Accepted of the verified nodes that the draft had"),
    }
    shares = [(label, _share(own["brought"].get(kind), say)) for kind, label in labels.items()]
    price = percent(own["price"]["pays_from"])
    shares.append((say("A further row pays from this chance on, by its measured time"), price))
    return [one for label, told in shares for one in found(label, told, ladder)]


def _rates(ladder: Result | None) -> dict[str, Interval]:
    reuse = ladder.data["reuse"] if ladder else {}
    return {
        name: share_interval(*_counts(own["returned"]["only"]))
        for name, own in reuse.items()
        if "only" in own["returned"]
    }


def beats(rates: dict[str, Interval], name: str, others: tuple[str, ...]):
    """Whether a rate lies clearly above the others: all, some, none, or not known."""
    own = rates.get(name, UNKNOWN)
    known = [rates[other] for other in others if other in rates]
    if own.low is None:
        return "unmeasured"
    return every([own.low > other.high for other in known if other.high is not None])


def efficiency(results: Results, say: Words = ENGLISH) -> Claim:
    """§1.3: less is computed twice."""
    bench = results.bench
    both = pairs(bench.data, "eagley", "eagle") if bench else []
    passes = median_interval(ratios(both, lambda row: row["target_passes"] / row["new_tokens"]))
    rows = median_interval(ratios(both, lambda row: row["rows_verified"] / row["new_tokens"]))
    labels = (
        (say("Target passes per token, EAGLEY over EAGLE"), passes),
        (say("Verified rows per token, EAGLEY over EAGLE"), rows),
    )
    fewer = [None if own.high is None else own.high < 1 for _, own in labels]
    return Claim(
        key="efficiency",
        section="§1.3",
        title=say("Reuse computes less"),
        seed=say("Efficiency: EAGLE “lower (repeated computation)”, EAGLEY “higher (reuse)”."),
        findings=tuple(f for label, own in labels for f in found(label, number(own, say), bench)),
        ruling=Ruling(
            every(fewer),
            say(
                "It holds where both ratios lie below 1 with their whole intervals, in part where "
                "one does."
            ),
        ),
        command=bench_command(bench),
    )


def memory(results: Results, say: Words = ENGLISH) -> Claim:
    """§1.3: what is kept takes memory."""
    bench, stores = results.bench, {"EAGLE": UNKNOWN, "EAGLEY": UNKNOWN}
    if bench:
        stores = {name: per_run(bench.data, name.lower(), _store) for name in stores}
    findings = [
        one
        for lane, own in stores.items()
        for one in found(
            say("Bytes of the store at the end, per token of prompt and output: {lane}", lane=lane),
            number(own, say, 0),
            bench,
        )
    ]
    return Claim(
        key="memory",
        section="§1.3",
        title=say("Reuse takes somewhat more memory"),
        seed=say("Memory: EAGLE “smaller”, EAGLEY “slightly higher (states must be kept)”."),
        findings=tuple(findings),
        ruling=above(stores["EAGLEY"], 0, say),
        command=bench_command(bench),
        note=say("The rows of the caches are as many in both lanes: rejected ones are dropped."),
    )


def _store(row: Row) -> float:
    return row["store_bytes"] / (row["prompt_tokens"] + row["new_tokens"])
