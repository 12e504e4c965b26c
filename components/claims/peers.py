"""Not the seed's: transformers' own decoding of the same weights, beside ours, in two runs."""

from itertools import permutations

from components.claims.commands import PEERS
from components.claims.kinds import Claim, Finding, Table, counted, found, number, read_interval
from components.claims.results import Result, Results
from components.claims.rulings import Ruling, every
from components.words import ENGLISH, Words


def peers(results: Results, say: Words = ENGLISH) -> Claim:
    """EAGLEY against the fastest of transformers' modes, by whole calls."""
    over = {one.name: read_interval(one.data["speedup"][_best(one)]) for one in results.peers}
    findings: list[Finding] = []
    for one in results.peers:
        label = say("EAGLEY over {mode}, transformers' fastest", mode=one.data["best_peer"])
        findings += found(label, number(over[one.name], say), one)
    return Claim(
        key="peers",
        section=say("beside the seed"),
        title=say("EAGLEY is faster than every mode of transformers on the same weights"),
        seed=say("The seed compares EAGLEY with EAGLE and with plain decoding only."),
        findings=(*findings, *_agreement(results.peers, say)),
        ruling=Ruling(
            every([own.low > 1 for own in over.values() if own.low is not None]),
            say(
                "It holds where the whole interval over the fastest mode lies above 1 in every "
                "run, in part where it does in some."
            ),
        ),
        command=PEERS,
        table=_table(results.peers, say) if results.peers else None,
        note=say(
            "By whole calls, prompt in to last token out, on the same questions one after the "
            "other. The bench was run again with nothing changed: medians that lie in each other's "
            "intervals are told above."
        ),
    )


def _best(result: Result) -> str:
    return f"eagley_vs_{result.data['best_peer']}"


def _agreement(several: tuple[Result, ...], say: Words) -> tuple[Finding, ...]:
    """Of how many speed-ups the runs' medians lie in each other's intervals."""
    if len(several) < 2:
        return ()
    both = [_agrees(several, pair) for pair in several[0].data["speedup"]]
    label = say("Speed-ups of which the runs agree, {others}", others=several[1].name)
    return found(label, counted(sum(both), len(both), say), several[0])


def _agrees(several: tuple[Result, ...], pair: str) -> bool:
    known = [read_interval(one.data["speedup"].get(pair)) for one in several]
    if any(own.median is None for own in known):
        return False
    return all(a.low <= b.median <= a.high for a, b in permutations(known, 2))


def _table(several: tuple[Result, ...], say: Words) -> Table:
    names = [pair for pair in several[0].data["speedup"] if pair.startswith("eagley_vs_")]
    rows = []
    for pair in names:
        told = [number(read_interval(one.data["speedup"].get(pair)), say) for one in several]
        rows.append((pair.removeprefix("eagley_vs_"), *(cell or "–" for cell in told)))
    files = tuple(one.name for one in several)
    return Table(say("EAGLEY over every other lane"), (say("over"), *files), tuple(rows), files)
