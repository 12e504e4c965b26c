"""The seed on rows of the draft, and of rejected branches, in place of the target's own."""

from components.claims.commands import KV, REUSE_SPEEDS
from components.claims.kinds import Claim, Table, found, number, read_interval, share
from components.claims.places import gain_at
from components.claims.results import Result, Results, Row
from components.claims.rulings import Ruling, every
from components.claims.states import setting
from components.words import ENGLISH, Words

EXACT = ("vanilla", "eagle", "eagley", "draft-kv:exact")


def noise(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.2, §2.3: the error of reuse, for R5 and R6."""
    kv = results.kv
    settings = kv.data["settings"] if kv else {}
    floor = max(
        (_mismatch(own).high or 0.0 for name, own in settings.items() if name in EXACT), default=0
    )
    borrowed = {name: own for name, own in settings.items() if name not in EXACT}
    inside = [_mismatch(own).low <= floor for own in borrowed.values()]
    return Claim(
        key="noise",
        section="§2.2, §2.3",
        title=say("The error of reused rows is within statistical noise"),
        seed=say(
            "“Reusing hidden states may bring tiny errors under extreme shift, but usually within "
            "statistical noise”; ε is “usually negligible”."
        ),
        ruling=Ruling(
            every(inside),
            say(
                "It holds where every approximate setting's share of tokens that are not the "
                "target's own has an interval that reaches down to that of the exact ones."
            ),
        ),
        command=f"{KV}; {REUSE_SPEEDS}",
        table=_settings_table(kv, results.reuse_speeds, say) if kv else None,
        note=say(
            "EAGLEY's own channels are not among these: they reuse guesses, not rows, and their "
            "error is zero. Stale rows keep a rejected branch's rows and verdicts; draft rows "
            "stand in for the target's in the last layer."
        ),
    )


def _mismatch(own: Row):
    return read_interval(own["mismatch_rate"])


def _settings_table(kv: Result, speeds: Result | None, say: Words) -> Table:
    columns = (
        say("setting"),
        say("tokens not the target's own"),
        say("KL, nats"),
        say("identical to vanilla"),
        say("accepted length"),
        say("acceptance"),
        say("speed-up over vanilla"),
    )
    rows = [
        (
            name,
            share(_mismatch(own), say) or "–",
            number(read_interval(own["kl"]), say, 3) or "–",
            say("{hits} of {tested}", hits=own["identical"], tested=own["prompts"]),
            number(read_interval(own["mean_accepted_length"]), say) or "–",
            number(read_interval(own["acceptance"]), say) or "–",
            gain_at(speeds, {"reuse": f"recycled,{name}"}, "eagley", say),
        )
        for name, own in kv.data["settings"].items()
    ]
    sources = tuple(one.name for one in (kv, speeds) if one)
    return Table(say("Whole runs against a clean pass"), columns, tuple(rows), sources)


def delta(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.2: attention over the draft's rows, and its correction."""
    kv = results.kv
    errors = setting(kv, "draft-kv:new", "deltas")
    kinds = {
        "none": say("Relative error of attention without Δ"),
        "new": say("With Δ over the new tokens, as the seed has it"),
        "exact": say("With Δ computed in full"),
    }
    means = {kind: sum(e[kind] for e in errors) / len(errors) for kind in kinds if errors}
    findings = [
        one for kind, mean in means.items() for one in found(kinds[kind], f"{mean:.2f}", kv)
    ]
    tests = [means["new"] < 0.1, means["new"] <= means["none"] / 2] if means else []
    return Claim(
        key="delta",
        section="§2.2",
        title=say("Attention over the draft's rows plus a correction Δ is the target's"),
        seed=say("“Attention(Q_target, K_draft, V_draft) + Δ”, Δ from the newly added tokens."),
        findings=tuple(findings),
        ruling=Ruling(
            every(tests),
            say(
                "It holds where the Δ of the new tokens leaves an error below 0.1, and in part "
                "where it at least halves it."
            ),
        ),
        command=KV,
        note=say("With Δ in full the error is zero, and so is the saving: all of it is computed."),
    )
