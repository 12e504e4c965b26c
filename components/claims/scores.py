"""The suites of the seed's table 5.1: right answers by lane, and answers that are vanilla's."""

from components.claims.kinds import Finding, counted, found, number, percent, read_interval
from components.claims.results import Result, Results
from components.words import ENGLISH, Words

EXACT = ("eagle", "eagley")
DECIDES = 0.10  # of vanilla's answers right; below it accuracies are all near nothing
NOTHING = "–"


def suites(results: Results) -> dict[str, Result | None]:
    """In the order of the seed's columns."""
    return {"GSM8K": results.gsm8k, "MMLU": results.mmlu, "HumanEval": results.humaneval}


def scored(results: Results, say: Words = ENGLISH) -> tuple[Finding, ...]:
    """What every suite that was run says of the exact lanes, and whether it can decide."""
    findings: tuple[Finding, ...] = ()
    for suite, result in suites(results).items():
        lanes = result.data["accuracy"] if result else {}
        for lane in EXACT:
            label = say("Answers as vanilla's, {suite}: {lane}", suite=suite, lane=lane.upper())
            findings += found(label, _equal(lanes.get(lane), say), result)
        label = say("Right answers of vanilla, {suite}", suite=suite)
        findings += found(label, _decides(lanes.get("vanilla"), say), result)
    return findings


def all_equal(results: Results) -> list[bool]:
    """Of every suite and exact lane: whether each answer is vanilla's."""
    known = [result.data["accuracy"] for result in suites(results).values() if result]
    own = [lanes[lane] for lanes in known for lane in EXACT if lane in lanes]
    return [one["answers_equal_to_vanilla"] == one["compared"] for one in own]


def lanes_of(results: Results) -> tuple[str, ...]:
    """The lanes of the table's own rows: EAGLE, EAGLEY, and those with other rules."""
    known = (*suites(results).values(), results.bench)
    named = [lane for result in known if result for lane in result.data["methods"]]
    return tuple(dict.fromkeys(lane for lane in named if lane.partition("[")[0] in EXACT))


def score_cells(results: Results, lane: str, say: Words = ENGLISH) -> tuple[str, ...]:
    """One lane's right answers, by suite."""
    cells = []
    for result in suites(results).values():
        own = result.data["accuracy"].get(lane) if result else None
        cells.append(_right(own, say) or (NOTHING if result else say("not measured here")))
    return tuple(cells)


def gain_cell(results: Results, lane: str, say: Words = ENGLISH) -> str:
    """A lane's throughput over EAGLE: on the bench, or on the first suite that has the lane."""
    for result in (results.bench, *suites(results).values()):
        told = result and number(read_interval(result.data["speedup"].get(f"{lane}_vs_eagle")), say)
        if told:
            return told
    return say("baseline") if lane == "eagle" else NOTHING


def method(lane: str, say: Words = ENGLISH) -> str:
    """A lane's name: EAGLEY, or EAGLEY with its rule."""
    name, _, rule = lane.rstrip("]").partition("[")
    return say("{name}, rule {rule}", name=name.upper(), rule=rule) if rule else name.upper()


def _equal(own: dict | None, say: Words) -> str | None:
    return own and counted(own["answers_equal_to_vanilla"], own["compared"], say)


def _right(own: dict | None, say: Words) -> str | None:
    """Right answers; None where none was judged."""
    if own is None or own["value"] is None:
        return None
    return f"{counted(own['correct'], own['of'], say)} ({percent(own['value'])})"


def _decides(own: dict | None, say: Words) -> str | None:
    told = _right(own, say)
    if told is None or own["value"] >= DECIDES:
        return told
    return say("{told}: this model cannot decide the claim", told=told)
