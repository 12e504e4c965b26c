"""The seed's tables, with its own numbers named as the seed's, beside what was measured here."""

from collections.abc import Sequence
from statistics import median

from components.claims.commands import SCENARIOS, SUITES, bench_command
from components.claims.kinds import Claim, Table, counted, found, number, percent, read_interval
from components.claims.results import Result, Results, Row, pairs, plain_lane, ratios, runs, speed
from components.claims.rulings import UNKNOWN, Ruling, Verdict, every, within
from components.claims.scores import (
    all_equal,
    gain_cell,
    lanes_of,
    method,
    score_cells,
    scored,
    suites,
)
from components.figures.claim_lengths import lengths_figure
from components.words import ENGLISH, Words
from eagley_core.statistics import Interval, median_interval

SEED_51 = (  # model, method, GSM8K, MMLU, HumanEval, throughput
    ("Vicuna-7B", "EAGLE", "35.2", "49.1", "28.3", "baseline"),
    ("Vicuna-7B", "EAGLEY", "35.1", "49.0", "28.2", "+18%"),
    ("Llama-2-13B", "EAGLE", "46.3", "55.8", "36.1", "baseline"),
    ("Llama-2-13B", "EAGLEY", "46.2", "55.7", "36.0", "+22%"),
)
GAINED = 1.18  # the lesser of the seed's two gains in throughput
SHORT, LONG = 50, 200  # tokens
GRAM = 4  # tokens; how often such a run comes again tells how much a text repeats itself
RANGES = {"short": (1.3, 1.5), "long": (2.0, 2.8), "code": (1.8, 2.4)}


def quality(results: Results, say: Words = ENGLISH) -> Claim:
    """§5.1: the same quality, and more throughput."""
    bench = results.bench
    over = read_interval(bench.data["speedup"].get("eagley_vs_eagle")) if bench else UNKNOWN
    same = [row["identical_to_vanilla"] for row in runs(bench.data, "eagley")] if bench else []
    told = counted(sum(same), len(same), say) if same else None
    equal = [*([all(same)] if same else []), *all_equal(results)]
    return Claim(
        key="quality",
        section="§5.1",
        title=say("The quality of EAGLE, with 18 % to 22 % more throughput"),
        seed=say("“Accuracy comparable to EAGLE on all benchmarks; throughput +18 % and +22 %.”"),
        findings=(
            *found(say("EAGLEY's outputs identical to vanilla"), told, bench),
            *found(say("Throughput of EAGLEY over EAGLE"), number(over, say), bench),
            *scored(results, say),
        ),
        ruling=Ruling(
            every([all(equal) if equal else None, _gains(over)]),
            say(
                "It holds where every output and answer is vanilla's and the whole interval of the "
                "throughput lies at {gained} or above, in part where one of the two is so.",
                gained=f"{GAINED:g}",
            ),
        ),
        command=f"{bench_command(bench)}; {SUITES}",
        table=_table_51(results, say),
        note=say(
            "An identical output has the same score by construction. Where vanilla itself is right "
            "in less than a tenth of the answers, scores of this target decide nothing."
        ),
    )


def _gains(own: Interval) -> bool | None:
    return None if own.low is None else own.low >= GAINED


def _table_51(results: Results, say: Words) -> Table:
    columns = (say("model"), say("method"), *_seeds(say, *suites(results)))
    columns += (say("throughput (the seed's)"),)
    columns += tuple(say("{name}, right here", name=name) for name in suites(results))
    columns += (say("identical to vanilla, here"), say("throughput over EAGLE, here"))
    rows = [(*row, *["–"] * 5) for row in SEED_51]
    known = [one for one in (results.bench, *suites(results).values()) if one]
    for lane in lanes_of(results):
        scores = score_cells(results, lane, say)
        told = (*scores, _identical(results.bench, lane, say), gain_cell(results, lane, say))
        rows.append((known[0].data["rows"][0]["target"], method(lane, say), *["–"] * 4, *told))
    sources = tuple(one.name for one in known)
    return Table(say("Table of §5.1"), columns, tuple(rows), sources)


def _identical(bench: Result | None, lane: str, say: Words) -> str:
    own = bench.data["methods"].get(lane) if bench else None
    return counted(own["identical_to_vanilla"], own["compared"], say) if own else "–"


def _seeds(say: Words, *names: str) -> tuple[str, ...]:
    return tuple(say("{name} (the seed's)", name=name) for name in names)


def lengths(results: Results, say: Words = ENGLISH) -> Claim:
    """§5.2: by length of the output, and for code."""
    source = results.scenarios or results.bench
    cases = {
        "short": say("Outputs under {tokens} tokens", tokens=SHORT),
        "long": say("Outputs over {tokens} tokens", tokens=LONG),
        "code": say("Code"),
    }
    own = {case: _case(source, case) for case in cases}
    findings = [
        one for case, label in cases.items() for one in found(label, number(own[case], say), source)
    ]
    return Claim(
        key="lengths",
        section="§5.2",
        title=say("The speed-up grows with the length of the output"),
        seed=say("Speed-up: short 1.3× to 1.5×, long 2.0× to 2.8×, code 1.8× to 2.4×."),
        findings=tuple(findings),
        ruling=Ruling(
            _together([within(own[case], *RANGES[case]).verdict for case in cases]),
            say(
                "It holds where every case was measured and its whole interval lies in the seed's "
                "range, and does not hold where no interval meets its range; otherwise it holds in "
                "part."
            ),
        ),
        command=SCENARIOS if results.scenarios else bench_command(source),
        table=_table_52(source, cases, own, say),
        figure=lengths_figure(_points(source), say) if source else None,
        note=say(
            "Speed-ups of EAGLEY over the faster vanilla, median per question. Lengths are the "
            "output's own; a case without an output of its length is not measured here. A text "
            "that repeats itself is easier to guess from what was kept: see the share of distinct "
            "runs."
        ),
    )


def _together(verdicts: list[Verdict]) -> Verdict:
    """One verdict of several."""
    known = {verdict for verdict in verdicts if verdict != "unmeasured"}
    if not known:
        return "unmeasured"
    if known == {"fails"}:
        return "fails"
    return "holds" if set(verdicts) == {"holds"} else "part"


def _case(bench: Result | None, case: str) -> Interval:
    return median_interval(ratios(_pairs(bench, case), speed)) if bench else UNKNOWN


def _pairs(bench: Result, case: str) -> list[tuple[Row, Row]]:
    fits = {
        "short": lambda row: row["new_tokens"] < SHORT,
        "long": lambda row: row["new_tokens"] > LONG,
        "code": lambda row: row["category"] in ("coding", "code"),
    }
    both = pairs(bench.data, "eagley", plain_lane(bench.data))
    return [pair for pair in both if fits[case](pair[0])]


def _points(bench: Result) -> list[tuple[Row, Row, Row]]:
    """EAGLEY, EAGLE and vanilla on each question."""
    plain = pairs(bench.data, "eagley", plain_lane(bench.data))
    eagle = pairs(bench.data, "eagley", "eagle")
    return [(own, two, one) for (own, one), (_, two) in zip(plain, eagle, strict=True)]


def _table_52(
    bench: Result | None, cases: dict[str, str], own: dict[str, Interval], say: Words
) -> Table:
    columns = (
        say("case"),
        say("speed-up (the seed's)"),
        say("speed-up, here"),
        say("over EAGLE, here"),
        say("distinct runs of {n} tokens", n=GRAM),
        say("questions"),
    )
    rows = []
    for case, label in cases.items():
        low, high = RANGES[case]
        here = number(own[case], say) or say("not measured here")
        rows.append((label, f"{low:.1f}× – {high:.1f}×", here, *_case_cells(bench, case, say)))
    return Table(say("Table of §5.2"), columns, tuple(rows), (bench.name,) if bench else ())


def _case_cells(bench: Result | None, case: str, say: Words) -> tuple[str, str, str]:
    """Over EAGLE, how little the outputs repeat themselves, and how many there are."""
    both = _pairs(bench, case) if bench else []
    if not both:
        return "–", "–", "–"
    kept = {row["question_id"] for row, _ in both}
    eagle = [
        pair for pair in pairs(bench.data, "eagley", "eagle") if pair[0]["question_id"] in kept
    ]
    new = [share for row, _ in both if (share := distinct(row["token_ids"])) is not None]
    over = number(median_interval(ratios(eagle, speed)), say) or "–"
    return over, percent(median(new)) if new else "–", f"{len(both)}"


def distinct(token_ids: Sequence[int], n: int = GRAM) -> float | None:
    """The share of different ones among the runs of n tokens; None where there is no run."""
    runs_ = [tuple(token_ids[i : i + n]) for i in range(len(token_ids) - n + 1)]
    return len(set(runs_)) / len(runs_) if runs_ else None
