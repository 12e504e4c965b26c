"""The seed on the choice of a draft."""

from components.claims.commands import bench_command
from components.claims.kinds import Claim, Finding, Table, found, number, read_interval, share
from components.claims.results import Result, Results, Row, per_run
from components.claims.rulings import Ruling
from components.words import ENGLISH, Words

SIZES = (1 / 8, 1 / 4)
LANES = ("eagle", "eagley")


def drafts(results: Results, say: Words = ENGLISH) -> Claim:
    """§3.1: how large a draft should be."""
    kinds = [one for one in (results.bench, *results.drafts) if one and _figures(one)]
    best = max(kinds, key=_speed, default=None)
    findings: tuple[Finding, ...] = ()
    if best:
        size = _figures(best)["draft_size_ratio"]
        findings = (
            *found(say("The fastest kind of draft here"), _name(best), best),
            *found(say("Its size over the target's"), f"{size:.3f}", best),
        )
    return Claim(
        key="drafts",
        section="§3.1",
        title=say("A draft has a quarter to an eighth of the target's parameters"),
        seed=say("“Usually 1/4 to 1/8 of the target”; distilled, quantised or specially trained."),
        findings=findings,
        ruling=Ruling(
            _verdict(kinds, best),
            say(
                "It holds where the draft with the best median speed-up here is of that size, in "
                "part where another of that size is faster than vanilla."
            ),
        ),
        command="; ".join([bench_command(one, _option(one)) for one in kinds])
        or bench_command(None),
        table=_table(kinds, say) if kinds else None,
        note=say(
            "Size and latency are those of one draft pass over one target pass. Kinds that were "
            "not measured are left out: `--draft` takes any language model with the tokenizer."
        ),
    )


def _figures(result: Result) -> Row | None:
    own = result.data["methods"].get("eagle", {})
    return own if own.get("draft_size_ratio") is not None else None


def _speed(result: Result) -> float:
    return _over(result, "eagle").median or 0.0


def _over(result: Result, lane: str):
    return read_interval(result.data["speedup"].get(f"{lane}_vs_vanilla"))


def _verdict(kinds: list[Result], best: Result | None):
    if best is None:
        return "unmeasured"
    fits = [k for k in kinds if SIZES[0] <= _figures(k)["draft_size_ratio"] <= SIZES[1]]
    if best in fits:
        return "holds"
    return "part" if any((_over(kind, "eagle").low or 0) > 1 for kind in fits) else "fails"


def _name(result: Result) -> str:
    return next(row["draft"] for row in result.data["rows"] if row["lane"] == "eagle")


def _option(result: Result) -> str:
    """How the command line names the draft."""
    name = _name(result)
    if name.startswith("early exit"):
        return " --draft early-exit:assets/exit-head"
    return " --draft int8" if name.startswith("int8") else ""


def _table(kinds: list[Result], say: Words) -> Table:
    columns = (
        say("draft"),
        say("size ratio"),
        say("byte ratio"),
        say("latency ratio"),
        say("acceptance, EAGLE"),
        say("EAGLE over vanilla"),
        say("EAGLEY over vanilla"),
        say("questions"),
    )
    rows = [_row(kind, say) for kind in kinds]
    names = tuple(kind.name for kind in kinds)
    return Table(say("Kinds of draft"), columns, tuple(rows), names)


def _row(kind: Result, say: Words) -> tuple[str, ...]:
    own = _figures(kind)
    sizes = (own[f"draft_{name}_ratio"] for name in ("size", "byte", "latency"))
    rate = per_run(kind.data, "eagle", lambda row: row["acceptance_rate"])
    return (
        _name(kind),
        *(f"{value:.3f}" for value in sizes),
        share(rate, say) or "–",
        *(number(_over(kind, lane), say) or "–" for lane in LANES),
        f"{own['prompts']}",
    )
