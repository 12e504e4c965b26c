"""The seed on hidden states: alike from layer to layer and from draft to target, and recursive."""

from components.claims.commands import KV
from components.claims.kinds import Claim, Finding, found
from components.claims.results import Result, Results
from components.claims.rulings import Ruling, every
from components.figures.claim_states import by_depth, by_distance, by_layer
from components.words import ENGLISH, Words

ALIKE = 0.9  # cosine
FELT = 0.01  # relative error of a row that still feels its changed ancestor


def layers(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.2, observation 1."""
    kv = results.kv
    cosines = setting(kv, "vanilla", "layer_similarity")
    return Claim(
        key="layers",
        section="§2.2",
        title=say("Neighbouring layers' states are alike"),
        seed=say("“The hidden state of layer i is highly correlated with the input of layer i+1.”"),
        findings=_cosines(kv, cosines, say) if cosines else (),
        ruling=Ruling(
            _alike(cosines),
            say(
                "It holds where the cosine of every layer's input and output is at least {bound}, "
                "in part where the median's is.",
                bound=f"{ALIKE:g}",
            ),
        ),
        command=KV,
        note=say(
            "Read literally the statement is true by construction: the output of a layer is the "
            "next one's input. Measured is how little one layer changes the state."
        ),
        figure=by_layer(cosines, say) if cosines else None,
    )


def setting(kv: Result | None, name: str, figure: str) -> list:
    """A list among a setting's figures; empty where it was not measured."""
    return (kv.data["settings"].get(name, {}).get(figure) or []) if kv else []


def _cosines(kv: Result, cosines: list[float], say: Words) -> tuple[Finding, ...]:
    middle = sorted(cosines)[len(cosines) // 2]
    least = min(cosines)
    return (
        *found(say("Median cosine over the layers"), f"{middle:.2f}", kv),
        *found(
            say("Lowest cosine, at layer {layer}", layer=cosines.index(least)), f"{least:.2f}", kv
        ),
    )


def _alike(cosines: list[float]):
    if not cosines:
        return "unmeasured"
    middle = sorted(cosines)[len(cosines) // 2]
    return every([min(cosines) >= ALIKE, middle >= ALIKE])


def states(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.2, observation 2: the draft's last state against the target's."""
    kv = results.kv
    cosines = setting(kv, "eagle", "draft_similarity")
    findings = [
        one
        for depth, cosine in enumerate(cosines, start=1)
        for one in found(say("Cosine at depth {depth}", depth=depth), f"{cosine:.2f}", kv)
    ]
    return Claim(
        key="states",
        section="§2.2",
        title=say("The draft's last state holds what the target's does"),
        seed=say("“The draft's last hidden state still encodes the input's semantics.”"),
        findings=tuple(findings),
        ruling=Ruling(
            every([cosine >= ALIKE for cosine in cosines] + [c >= 0.5 for c in cosines]),
            say(
                "It holds where the cosine with the target's last state is at least {bound} at "
                "every depth, and does not hold where it is below 0.5 at every depth; otherwise it "
                "holds in part.",
                bound=f"{ALIKE:g}",
            ),
        ),
        command=KV,
        figure=by_depth(cosines, say) if cosines else None,
    )


def recursion(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.2, observation 3."""
    kv = results.kv
    errors = kv.data["ancestor"] if kv else {"values": [], "keys": [], "kl": []}
    values, nats_by_distance = errors["values"][1:], errors["kl"]
    findings = [
        *(
            one
            for distance, error in enumerate(values, start=1)
            if distance in (1, 2, 5, len(values))
            for one in found(
                say("Relative error of values {distance} tokens behind", distance=distance),
                f"{error:.2f}",
                kv,
            )
        ),
        *(
            one
            for distance, nats in enumerate(nats_by_distance)
            if distance in (1, 5)
            for one in found(
                say("KL of the prediction {distance} tokens behind, nats", distance=distance),
                f"{nats:.2f}",
                kv,
            )
        ),
    ]
    return Claim(
        key="recursion",
        section="§2.2",
        title=say("The target's state is a recursion over its own states"),
        seed=say("“The target computes its own state from its own earlier state and the token.”"),
        findings=tuple(findings),
        ruling=Ruling(
            every([error > FELT for error in values]),
            say(
                "It holds where one changed ancestor leaves a relative error above {bound} at "
                "every distance. This is also why a rejected token's rows are never exact for "
                "another prefix.",
                bound=f"{FELT:g}",
            ),
        ),
        command=KV,
        figure=by_distance(errors, say) if values else None,
    )
