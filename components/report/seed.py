"""The seed's tables 5.1 and 5.2, marked as the seed's, beside what was measured here."""

from collections.abc import Sequence
from math import inf
from statistics import fmean

from components.report.result import UNKNOWN, Result, interval, label
from components.report.table import Table

# As the seed document gives them, without any source or interval.
SUITES = {"gsm8k": "GSM8K", "mmlu": "MMLU", "humaneval": "HumanEval"}
SEED_51 = (
    ("Vicuna-7B", "EAGLE", "35.2", "49.1", "28.3", "baseline"),
    ("Vicuna-7B", "EAGLEY", "35.1", "49.0", "28.2", "+18 %"),
    ("Llama-2-13B", "EAGLE", "46.3", "55.8", "36.1", "baseline"),
    ("Llama-2-13B", "EAGLEY", "46.2", "55.7", "36.0", "+22 %"),
)
SEED_52 = {
    "short": ("short, under 50 tokens", "1.3 to 1.5"),
    "long": ("long, over 200 tokens", "2.0 to 2.8"),
    "code": ("code", "1.8 to 2.4"),
}
CLASSES = {"short": (0, 50), "long": (200, inf), "code": (0, inf)}  # tokens of an answer
MISSING = "not measured here"
DECIDES = 0.10  # of vanilla's answers right; below it accuracies are all near nothing


def accuracy_table(results: Sequence[Result]) -> Table:
    """Table 5.1: the seed's rows, then ours by target."""
    heads = ("whose", "model", "method", *SUITES.values(), "throughput over EAGLE")
    rows = [("the seed's", *row) for row in SEED_51]
    for target in dict.fromkeys(result.target for result in results):
        own = [result for result in results if result.target == target]
        found = [r for r in own if r.suite in SUITES]
        lanes = dict.fromkeys(lane for r in found or own for lane in r.lanes if _is_told(r, lane))
        rows += [_row(target, lane, found) for lane in lanes]
    return Table("The seed's table 5.1: accuracy in percent", heads, rows, _notes(results))


def _is_told(result: Result, lane: str) -> bool:
    """Vanilla, EAGLE and EAGLEY, exact and approximate."""
    return lane.partition("[")[0] in ("vanilla", "eagle", "eagley")


def _row(target: str, lane: str, found: Sequence[Result]) -> tuple[str, ...]:
    cells = [_all(_share(r, lane) for r in found if r.suite == suite) for suite in SUITES]
    gains = "–" if lane == "vanilla" else _all(_gain(result, lane) for result in found)
    return ("measured here", target, label(lane), *cells, gains)


def _all(texts) -> str:
    known = [text for text in texts if text]
    return "; ".join(known) or MISSING


def _share(result: Result, lane: str) -> str:
    found = result.document.get("accuracy", {}).get(lane)
    if not found or found["value"] is None:
        return ""
    return f"{100 * found['value']:.1f} ({found['correct']} of {found['of']})"


def _gain(result: Result, lane: str) -> str:
    if lane == "eagle":
        return f"{SUITES[result.suite]} baseline"
    found = result.document["speedup"].get(f"{lane}_vs_eagle")
    return f"{SUITES[result.suite]} {interval(found)}" if found else ""


def _notes(results: Sequence[Result]) -> list[str]:
    notes = []
    for result in results:
        found = result.document.get("accuracy", {}).get("vanilla")
        if result.suite in SUITES and found and found["value"] is not None:
            notes += _undecided(result, found)
        if result.suite in SUITES:
            notes += _equality(result)
    return notes


def _undecided(result: Result, found: dict) -> list[str]:
    if found["value"] >= DECIDES:
        return []
    return [
        f"{result.name}: vanilla itself is right in {found['correct']} of {found['of']} "
        f"{SUITES[result.suite]} questions ({100 * found['value']:.1f} %). This model cannot "
        "decide the seed's accuracy claim."
    ]


def _equality(result: Result) -> list[str]:
    told = [
        f"{label(lane)} {found['answers_equal_to_vanilla']} of {found['compared']}"
        for lane, found in result.document.get("accuracy", {}).items()
        if lane != "vanilla" and _is_told(result, lane)
    ]
    return [f"{result.name}: answers equal to vanilla's: {', '.join(told)}."] if told else []


def length_table(results: Sequence[Result]) -> Table:
    """Table 5.2: the seed's ranges, and ours."""
    heads = ("scenario", "the seed's speed-up", "result", "EAGLEY over vanilla")
    heads += ("EAGLE over vanilla", "EAGLEY over EAGLE", "mean tokens of vanilla's answers")
    found = [result for result in results if result.suite == "scenarios"]
    rows = []
    for name, (told, seeds) in SEED_52.items():
        own = [r for r in found if name in r.document["by_category"]]
        measured = [_scenario(result, name) for result in own]
        rows += [(told, seeds, *row) for row in measured or [(MISSING, *[""] * 4)]]
    return Table("The seed's table 5.2: speed-up by length of the answer", heads, rows)


def _scenario(result: Result, name: str) -> tuple[str, ...]:
    speedup = result.document["by_category"][name]["speedup"]
    told = ("eagley_vs_vanilla", "eagle_vs_vanilla", "eagley_vs_eagle")
    lengths = [row["new_tokens"] for row in result.rows("vanilla") if row["category"] == name]
    return (result.name, *(interval(speedup.get(pair)) for pair in told), _length(name, lengths))


def _length(name: str, lengths: Sequence[int]) -> str:
    if not lengths:
        return UNKNOWN
    mean, (low, high) = fmean(lengths), CLASSES[name]
    return f"{mean:.0f}" + ("" if low < mean < high else ", outside the seed's class")
