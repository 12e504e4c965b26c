"""Beside the seed: what it brings to draft with the noise that decides a position."""

from components.claims.commands import TEMPERATURE
from components.claims.kinds import (
    Claim,
    Finding,
    Table,
    counted,
    found,
    number,
    read_interval,
    share,
)
from components.claims.results import Result, Results, Row, pairs, ratios
from components.claims.rulings import Ruling, every
from components.words import ENGLISH, Words
from eagley_core.statistics import Interval, median_interval
from eagley_core.sweep import lane_name

HOT = 1.0  # the temperature that decides
LANES = ("eagle", "eagley")


def coupling(results: Results, say: Words = ENGLISH) -> Claim:
    """Acceptance, coupled and not, in one run."""
    sweep = results.temperature
    points = sweep.data["points"] if sweep else []
    hot = {p["at"]["coupled"]: _rate(p, "eagle") for p in points if p["at"]["temperature"] == HOT}
    apart = hot[True].low > hot[False].high if hot.keys() == {True, False} else None
    return Claim(
        key="coupling",
        section=say("beside the seed"),
        title=say("At temperature 1, drafting with the position's noise is accepted more often"),
        seed=say("The seed does not have this; it is what keyed noise makes possible."),
        findings=_gains(sweep, say) if sweep else (),
        ruling=Ruling(
            every([apart]),
            say("It holds where EAGLE's two intervals of acceptance do not meet."),
        ),
        command=TEMPERATURE,
        table=_table(sweep, say) if sweep else None,
    )


def place_told(point: Row, say: Words) -> str:
    """A place of the sweep in words."""
    heat = f"{point['at']['temperature']:g}"
    if point["at"]["coupled"]:
        return say("temperature {temperature}, coupled drafting", temperature=heat)
    return say("temperature {temperature}, uncoupled", temperature=heat)


def _rate(point: Row, lane: str) -> Interval:
    return read_interval(point["methods"][lane]["intervals"]["acceptance_rate"])


def _gains(sweep: Result, say: Words) -> tuple[Finding, ...]:
    """By temperature and lane: accepted draft tokens per step, coupled over uncoupled."""
    findings: tuple[Finding, ...] = ()
    for heat in sweep.data["axes"]["temperature"]:
        for lane in LANES:
            label = say(
                "Draft tokens accepted per step, coupled over uncoupled, at temperature "
                "{temperature}: {lane}",
                temperature=f"{heat:g}",
                lane=lane.upper(),
            )
            findings += found(label, number(_gain(sweep.data, heat, lane), say), sweep)
    return findings


def _gain(data: Row, heat: float, lane: str) -> Interval:
    own, base = (lane_name(lane, {"temperature": heat, "coupled": c}) for c in (True, False))
    accepted = ratios(pairs(data, own, base), lambda row: row["accepted_draft_tokens_per_step"])
    return median_interval(accepted)


def _table(sweep: Result, say: Words) -> Table:
    columns = (
        say("case"),
        say("method"),
        say("accepted length"),
        say("acceptance per level"),
        say("speed-up over vanilla"),
        say("identical to vanilla"),
    )
    rows = [
        (place_told(point, say), lane.upper(), *_cells(point, lane, say))
        for point in sweep.data["points"]
        for lane in LANES
    ]
    return Table(say("Coupled and uncoupled, in one run"), columns, tuple(rows), (sweep.name,))


def _cells(point: Row, lane: str, say: Words) -> tuple[str, ...]:
    own = point["methods"][lane]
    return (
        number(read_interval(own["intervals"]["mean_accepted_length"]), say) or "–",
        share(_rate(point, lane), say) or "–",
        number(read_interval(point["speedup"].get(f"{lane}_vs_vanilla")), say) or "–",
        counted(own["identical_to_vanilla"], own["compared"], say),
    )
