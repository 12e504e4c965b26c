"""Verdicts in one sentence, by the run's own rule."""

from dataclasses import replace

import pytest

from components.imagined import imagined
from components.selection import Place
from components.verdict import COMPARED, matches, reason
from eagley_core.config import DecodeConfig
from eagley_core.rule import RULES, Rule


def ruled(trace, rule: str, node: int, temperature=0.0, **figures):
    """The trace under another rule, with other figures at one node of its step."""
    config = replace(trace.config, rule=Rule.parse(rule), temperature=temperature)
    step = trace.steps[1]
    nodes = list(step.nodes)
    nodes[node] = replace(nodes[node], **figures)
    return replace(trace, config=config), replace(step, nodes=tuple(nodes)), node


def test_every_rule_has_its_words():
    matched = {name for name, numbers in RULES.items() if not numbers} - {"speculative"}
    assert COMPARED.keys() == RULES.keys() - matched


def test_reasons_by_hand(tiny):
    step = tiny.steps[1]
    assert reason(tiny, step, 0) == "Accepted: it is the token that the target chose there."
    assert reason(tiny, step, 1) == "Rejected: the target chose “·sky” there."
    assert reason(tiny, step, 3) == "Not tested: the path to it left the target's own."


@pytest.mark.parametrize(
    ("rule", "temperature", "figures", "told"),
    [
        ("top-k:2", 0, (4, 2), "top-k:2: its rank, 4, is above K, 2."),
        ("seed-threshold:0.3", 0, (0.2, 0.3), "seed-threshold:0.3: p, 0.2, is below T, 0.3."),
        (
            "lenience:0.5",
            0,
            (0.2, 0.45),
            "lenience:0.5: p, 0.2, is below L times the largest p, 0.45.",
        ),
        (
            "speculative",
            1.0,
            (0.2, 0.25),
            "speculative: p over what its rejected siblings left, 0.2, is below the draw, 0.25.",
        ),
        ("top-k:9", 1.0, (4, 9), "top-k:9: the run's settings exclude this token."),
    ],
)
def test_another_rule_is_named_with_what_it_compared(tiny, rule, temperature, figures, told):
    compared, threshold = figures
    case = ruled(tiny, rule, 1, temperature, compared=compared, threshold=threshold)
    assert reason(*case) == f"Rejected by the rule {told}"


def test_an_accepted_node_is_told_by_the_same_numbers(tiny):
    case = ruled(tiny, "top-k:2", 0, compared=1.0, threshold=2.0)
    assert reason(*case) == "Accepted by the rule top-k:2: its rank, 1, is at most K, 2."


def test_untested_nodes_need_no_rule(tiny):
    assert reason(*ruled(tiny, "top-k:2", 3)) == "Not tested: its parent was not accepted."


def test_an_old_verdict_is_not_said_to_be_the_target_s_choice(every):
    step = every.steps[1]
    stale = next(i for i, node in enumerate(step.nodes) if node.source == "stale")
    assert reason(every, step, stale).startswith("Accepted on its old verdict")
    judged = imagined(every, Place(step, stale), Rule("exact"))
    assert reason(judged.trace, *judged.place).startswith("Accepted: it is the token")


def test_speculative_without_temperature_is_exact():
    assert matches(DecodeConfig(rule=Rule("speculative")))
    assert not matches(DecodeConfig(rule=Rule("speculative"), temperature=1.0))
