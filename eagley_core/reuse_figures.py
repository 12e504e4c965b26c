"""What came back from the store, out of recorded runs. Every share has both its counts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from eagley_core.contexts import LONGEST
from eagley_core.metrics import Ratio, whole_steps
from eagley_core.row_worth import brought, kept_from, price, timed
from eagley_core.steps import Rows
from eagley_core.store import Kept, Likeliest, Store
from eagley_core.trace import Node, Prediction, Step, Trace


def steps_after_rejection(trace: Trace) -> Iterator[Step]:
    """Decode steps whose predecessor had a rejected node."""
    steps = trace.decode_steps
    for before, step in zip(steps, steps[1:], strict=False):
        if any(node.verdict == "rejected" for node in before.nodes):
            yield step


def returned(trace: Trace) -> dict[str, Ratio]:
    """By source but the draft: of the steps after a rejection, those on whose accepted path it had
    a node; `only` counts nodes that the draft did not propose too, whatever their source.
    """
    steps = list(steps_after_rejection(trace))
    paths = [[step.nodes[i] for i in step.accepted] for step in steps]
    sources = {s for path in paths for node in path for s in node.sources} - {"draft"}
    hits = {s: sum(any(s in node.sources for node in path) for path in paths) for s in sources}
    hits["only"] = sum(any("draft" not in node.sources for node in path) for path in paths)
    return {name: Ratio(count, len(steps)) for name, count in sorted(hits.items())}


def origins(trace: Trace) -> Counter[str]:
    """Accepted nodes that the draft did not propose, by what kind of row they were kept from."""
    gained = [node for step in trace.decode_steps for node in _accepted(step)]
    return Counter(kept_from(node) for node in gained if "draft" not in node.sources)


def rejected_share(trace: Trace) -> Ratio:
    """Of the accepted nodes that the draft did not propose, those kept from a rejected node."""
    found = origins(trace)
    return Ratio(found["rejected"], found.total())


def _accepted(step: Step) -> list[Node]:
    return [step.nodes[i] for i in step.accepted]


class Oracle(NamedTuple):
    """Accepted nodes of the whole steps, as it was and with every stored node verified too."""

    steps: int
    accepted: int
    possible: int

    @property
    def added(self) -> int:
        return self.possible - self.accepted


def oracle(trace: Trace, store: Store | None = None) -> Oracle:
    """What the store would have added, had every node that it held been verified.

    The store is filled again from the trace, which holds somewhat less than the run's own: the
    best five tokens after a row, and of the prompt the last row alone. So this is a lower bound.
    store: to go on with, as a warm run does. The output is taken as the target's (exact rule).
    """
    store = Store() if store is None else store
    text, whole = (*trace.prompt_ids, *trace.output_ids), whole_steps(trace)
    accepted = possible = 0
    for step in trace.steps:
        if step in whole:
            accepted += len(step.accepted)
            possible += _reach(step, store, text)
        _keep(step, store, text)
    return Oracle(len(whole), accepted, possible)


def _reach(step: Step, store: Store, text: tuple[int, ...]) -> int:
    """How far down the true text the step's tree and the store reach together."""
    nodes = {(node.parent, node.token_id): i for i, node in enumerate(step.nodes)}
    here: int | None = -1  # None: off the recorded tree
    place = step.position
    while place + 1 < len(text):
        here = None if here is None else nodes.get((here, text[place + 1]))
        found = store.find(text[max(0, place + 1 - LONGEST) : place + 1]) if here is None else None
        if here is None and (found is None or text[place + 1] not in found.entry.tokens):
            break
        place += 1
    return place - step.position


def _keep(step: Step, store: Store, text: tuple[int, ...]) -> None:
    rows = Rows(
        tokens=[step.root_id, *(node.token_id for node in step.nodes)],
        parents=[0, *(node.parent + 1 for node in step.nodes)],
        choices=[step.after_root.choice_id, *(node.after.choice_id for node in step.nodes)],
        log_q=[None] * len(step.nodes),
        scores=[None] * len(step.nodes),
    )
    path = tuple(node + 1 for node in step.accepted)
    before = text[max(0, step.position + 1 - LONGEST) : step.position]
    kept = Kept(step.index, before, path, step.bonus_id)
    after = [step.after_root, *(node.after for node in step.nodes)]
    store.keep_step(kept, rows, [_likeliest(prediction) for prediction in after])


def _likeliest(prediction: Prediction) -> Likeliest:
    pairs = ((candidate.token_id, candidate.probability) for candidate in prediction.top)
    tokens, probabilities = zip(*pairs, strict=True)
    return Likeliest(tokens, probabilities)


class ReuseFigures:
    """These figures over many runs, by lane, and within a lane by category.

    held: from a run to what EAGLE's own tree held (`eagle_tree`), where that is wanted too.
    """

    def __init__(self, held: Callable[[Trace], tuple[Ratio, Ratio]] | None = None) -> None:
        self._traces: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._held = held

    def add(self, traces: Mapping[str, Trace]) -> None:
        """Take one prompt's runs, by lane. Runs without a tree say nothing."""
        for lane, trace in traces.items():
            if any(step.nodes for step in trace.steps):
                by_category = self._traces.setdefault(lane, {})
                counts = _counts(trace)
                if self._held and trace.config.method == "eagley":
                    counts["held"] = self._held(trace)
                by_category.setdefault(trace.category, []).append(counts)

    def result(self) -> dict[str, Any]:
        """JSON-ready; every share as its value and both counts."""
        found = {}
        for lane, by_category in self._traces.items():
            every = [counts for own in by_category.values() for counts in own]
            categories = {name: _summed(own) for name, own in sorted(by_category.items())}
            found[lane] = _summed(every) | {"price": _price(every), "by_category": categories}
        return found


def _counts(trace: Trace) -> dict[str, Any]:
    return {
        "returned": returned(trace),
        "origins": origins(trace),
        "oracle": oracle(trace),
        "brought": brought(trace),
        "timed": timed(trace),
    }


def _summed(counts: list[dict[str, Any]]) -> dict[str, Any]:
    hits: Counter[str] = Counter()
    for own in counts:
        hits.update({name: ratio.hits for name, ratio in own["returned"].items()})
    tested = sum(own["returned"]["only"].tested for own in counts)
    kinds = sum((own["origins"] for own in counts), Counter())
    steps, accepted, possible = map(sum, zip(*(own["oracle"] for own in counts), strict=True))
    held = [own["held"] for own in counts if "held" in own]
    return _held(held) | {
        "returned": {name: _share(Ratio(count, tested)) for name, count in sorted(hits.items())},
        "origins": dict(sorted(kinds.items())),
        "rejected_share": _share(Ratio(kinds["rejected"], kinds.total())),
        "brought": _brought([own["brought"] for own in counts]),
        "oracle": {
            "steps": steps,
            "accepted": accepted,
            "possible": possible,
            "added_per_step": (possible - accepted) / steps if steps else None,
        },
    }


def _brought(counts: list[dict[str, Ratio]]) -> dict[str, Any]:
    kinds = sorted({kind for own in counts for kind in own})
    every = {kind: [own[kind] for own in counts if kind in own] for kind in kinds}
    return {
        kind: _share(Ratio(*map(sum, zip(*ratios, strict=True)))) for kind, ratios in every.items()
    }


def _price(counts: list[dict[str, Any]]) -> dict[str, float] | None:
    found = price([step for own in counts for step in own["timed"]])
    return found and found._asdict()


def _held(found: list[tuple[Ratio, Ratio]]) -> dict[str, Any]:
    """What EAGLE's own tree held, and after how many rejections it lacked what the store had."""
    if not found:
        return {}
    nodes, missed = (
        Ratio(*map(sum, zip(*ratios, strict=True))) for ratios in zip(*found, strict=True)
    )
    return {"held_by_eagle": _share(nodes), "missed_by_eagle": _share(missed)}


def _share(ratio: Ratio) -> dict[str, Any]:
    return {"value": ratio.value, **ratio._asdict()}
