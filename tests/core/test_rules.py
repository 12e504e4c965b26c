"""What each rule accepts, by hand and in an engine."""

import pytest
import torch

from eagley_core.config import DecodeConfig
from eagley_core.judge import Case, Judge, Standing, follow, sibling_order
from eagley_core.rule import RULES, Rule
from eagley_core.standing import leftovers, ranks, standings
from eagley_core.tree import make_tree
from eagley_core.verify import accept_exact
from tests.core.recorded import PROMPT, recorded
from tests.core.tiny import TinyEngine, steps, tokens

SAMPLES = {
    "speculative": "speculative",
    "seed-ratio": "seed-ratio:0.1",
    "seed-threshold": "seed-threshold:0.1",
    "top-k": "top-k:3",
    "lenience": "lenience:0.5",
    "typical": "typical:0.3,0.3",
}


def case(**facts) -> Case:
    known = {"p": 0.3, "best": 0.5, "rank": 1, "entropy": 0.7, "is_own": False, "q": 0.6} | facts
    standing = Standing(known["p"], known["best"], known["rank"], known["entropy"])
    return Case(known["is_own"], standing, known["q"], known.get("draw", 0.5))


def passes(rule: str, one: Case, rest: float = 1.0, greedy: bool = False) -> bool:
    return Judge(Rule.parse(rule), greedy).ruling(one, rest).passes


# p = 0.3 and q = 0.6, so p/q = 0.5.
BY_HAND = [
    ("exact", {"is_own": True}, True),
    ("exact", {"is_own": False}, False),
    ("speculative", {"draw": 0.29}, True),
    ("speculative", {"draw": 0.31}, False),  # q = 1: p/q = 0.5 would pass
    ("seed-ratio:0.4", {"draw": 0.81}, True),
    ("seed-ratio:0.4", {"draw": 0.79}, False),
    ("seed-ratio:0.4", {"draw": 0.41, "q": 0.2}, True),
    ("seed-ratio:0.25", {"draw": 0.9, "q": 1.0}, True),
    ("seed-threshold:0.3", {}, True),
    ("seed-threshold:0.31", {}, False),
    ("top-k:2", {"rank": 1}, True),
    ("top-k:2", {"rank": 2}, False),
    ("lenience:0.5", {"draw": 0.59}, True),
    ("lenience:0.5", {"draw": 0.61}, False),
    ("lenience:0.2", {"draw": 0.99}, True),
    ("typical:0.3,1", {}, True),  # exp(-0.7) = 0.497
    ("typical:0.4,0.8", {}, False),  # 0.397
    ("typical:0.4,0.6", {}, True),  # 0.298
]


@pytest.mark.parametrize(("rule", "facts", "expected"), BY_HAND)
def test_a_rule_by_hand(rule, facts, expected):
    assert passes(rule, case(**facts)) is expected


def test_what_rejected_siblings_leave_is_renormalised():
    assert not passes("speculative", case(draw=0.5))
    assert passes("speculative", case(draw=0.5), rest=0.5)  # 0.3 of 0.5
    assert passes("lenience:0.8", case(draw=0.7), rest=0.5)  # 0.3 of 0.4
    assert passes("speculative", case(draw=1 - 2**-53), rest=0.3)  # nothing else is left


def test_at_temperature_0_lenience_is_relative_to_the_best():
    assert passes("lenience:0.6", case(p=0.3, best=0.5), greedy=True)
    assert not passes("lenience:0.61", case(p=0.3, best=0.5), greedy=True)


def test_at_temperature_0_speculative_takes_the_targets_own_token_alone():
    assert passes("speculative", case(is_own=True, p=0.01), greedy=True)
    assert not passes("speculative", case(p=0.9, draw=0.001), greedy=True)


@pytest.mark.parametrize("rule", ["seed-ratio:0", "seed-threshold:0", "top-k:9", "lenience:0"])
def test_a_token_that_the_processors_exclude_passes_no_rule(rule):
    assert passes(rule, case(p=1e-9))
    assert not passes(rule, case(p=0.0))


@pytest.mark.parametrize("rule", [*SAMPLES.values(), "lenience:0.9", "seed-ratio:0"])
@pytest.mark.parametrize("greedy", [False, True])
def test_the_chance_is_the_share_of_draws_that_pass(rule, greedy):
    judge, n = Judge(Rule.parse(rule), greedy), 2000
    for p, rest in ((0.05, 0.6), (0.3, 0.9), (0.55, 0.7)):
        drawn = [judge.ruling(case(p=p, draw=(i + 0.5) / n), rest).passes for i in range(n)]
        assert sum(drawn) / n == pytest.approx(judge.chance(case(p=p), rest), abs=1 / n)


#  root -1: 0 (q 0.2), 1 (no q), 2 (q 0.5); 2: 3 (q 0.9), 4 (q 0.9)
NODES = [(0, -1, 0.2), (1, -1, None), (2, -1, 0.5), (3, 2, 0.9), (4, 2, 0.9)]


def test_siblings_are_tested_by_falling_q_older_first_unscored_last():
    assert sibling_order(Rule("speculative"), NODES) == {-1: [2, 0, 1], 2: [3, 4]}
    assert sibling_order(Rule("exact"), NODES) == {-1: [0, 1, 2], 2: [3, 4]}


def test_the_first_that_passes_is_taken_and_the_others_are_not_tested():
    judge = Judge(Rule.parse("seed-threshold:0.25"), False)
    p = {0: 0.3, 1: 0.4, 2: 0.2, 3: 0.1, 4: 0.1}
    walk = follow(judge, -1, sibling_order(judge.rule, NODES), lambda i: case(p=p[i]))
    assert walk.path == (0,)
    assert {node: ruling.passes for node, ruling in walk.rulings.items()} == {2: False, 0: True}


def test_rejected_mass_is_taken_off_sibling_by_sibling():
    judge = Judge(Rule("speculative"), False)
    p, draw = {2: 0.4, 0: 0.3, 1: 0.15}, {2: 0.41, 0: 0.51, 1: 0.49}
    children = sibling_order(judge.rule, NODES[:3])
    walk = follow(judge, -1, children, lambda i: case(p=p[i], draw=draw[i]))
    compared = [walk.rulings[node].compared for node in (2, 0, 1)]
    assert compared == pytest.approx([0.4, 0.3 / 0.6, 0.15 / 0.3])
    assert walk.path == (1,)


def test_following_the_rule_exact_is_matching_with_the_targets_own_tokens():
    generator = torch.Generator().manual_seed(0)
    judge = Judge(Rule(), False)
    for _ in range(200):
        ids = torch.randint(4, (12,), generator=generator).tolist()
        parents = [0] + [int(torch.randint(i, (1,), generator=generator)) for i in range(1, 12)]
        own = torch.randint(4, (12,), generator=generator).tolist()
        nodes = [(row, parents[row], None) for row in range(1, 12)]

        def case_of(row, ids=ids, parents=parents, own=own):
            return case(is_own=ids[row] == own[parents[row]])

        walk = follow(judge, 0, sibling_order(judge.rule, nodes), case_of)
        assert walk.path == accept_exact(ids, parents, own).path


def test_equal_logits_are_ranked_by_id():
    values = torch.tensor([[1.0, 3.0, 3.0, 0.0]] * 4)
    assert ranks(values, torch.arange(4)[:, None]).tolist() == [2, 0, 1, 3]


def test_standings_by_hand():
    #  root -> 1 (token 0), 1 -> 2 (token 2); after the root 1/2, 1/4, 1/4, after row 1 uniform
    tree = make_tree(torch.tensor([1, 0, 2]), torch.tensor([0, 0, 1]), 2)
    scores = torch.tensor([[0.5, 0.25, 0.25], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]).log()
    found = standings(tree, scores)[1:]
    wanted = torch.tensor([[0.5, 0.5, 0.0, 1.0397208], [1 / 3, 1 / 3, 2.0, 1.0986123]])
    torch.testing.assert_close(found, wanted.double())


def test_leftovers_are_the_best_of_the_tokens_that_no_child_has():
    tree = make_tree(torch.tensor([9, 2, 0, 1]), torch.tensor([0, 0, 0, 1]), 2)
    noised = torch.tensor([[5.0, 1.0, 9.0, 2.0]] * 3 + [[1.0, 2.0, 4.0, 3.0]])
    assert leftovers(tree, noised).tolist() == [3, 2, 2, 2]


def test_children_that_hold_everything_leave_the_targets_own_token():
    tree = make_tree(torch.tensor([9, 0, 1]), torch.tensor([0, 0, 0]), 1)
    noised = torch.tensor([[1.0, 2.0, -torch.inf]] * 3)
    assert leftovers(tree, noised).tolist()[0] == 1


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize("method", ["eagle", "eagley"])
@pytest.mark.parametrize("name", [name for name in RULES if name in SAMPLES])
def test_every_rule_runs_and_records_its_own_rulings(engine, name, method, temperature):
    rule = Rule.parse(SAMPLES[name])
    trace, _ = recorded(engine, DecodeConfig(method, 30, temperature=temperature, rule=rule))
    assert len(trace.output_ids) == 30
    nodes = [node for step in trace.decode_steps for node in step.nodes]
    tested = [node for node in nodes if node.verdict != "untested"]
    assert tested and all((node.compared is None) == (node.threshold is None) for node in nodes)
    for node in tested:
        enough = node.compared >= node.threshold
        within = node.compared <= node.threshold
        assert (node.verdict == "accepted") == (within if name == "top-k" else enough)


@pytest.mark.parametrize("method", ["eagle", "eagley"])
@pytest.mark.parametrize("rule", ["seed-threshold:0.51", "top-k:1", "speculative", "lenience:1"])
def test_rules_that_take_the_argmax_alone_emit_vanillas_tokens_at_temperature_0(
    engine, method, rule
):
    expected = tokens(engine, PROMPT, DecodeConfig("vanilla", 40))
    assert tokens(engine, PROMPT, DecodeConfig(method, 40, rule=Rule.parse(rule))) == expected


@pytest.mark.parametrize("rule", SAMPLES.values())
def test_vanilla_is_vanilla_under_every_rule(engine, rule):
    plain = DecodeConfig("vanilla", 20, temperature=0.9, seed=3)
    ruled = DecodeConfig("vanilla", 20, temperature=0.9, seed=3, rule=Rule.parse(rule))
    assert tokens(engine, PROMPT, ruled) == tokens(engine, PROMPT, plain)


@pytest.mark.parametrize("rule", ["seed-ratio:0", "seed-threshold:0", "lenience:0", "top-k:1024"])
def test_limits_and_processors_hold_inside_a_path_of_everything(engine: TinyEngine, rule):
    config = DecodeConfig(
        "eagle", 21, temperature=1.0, top_k=2, rule=Rule.parse(rule), repetition_penalty=1.2
    )
    trace, facts = recorded(engine, config)
    assert len(trace.output_ids) == 21 and trace.finish_reason == "length"
    taken = [step.nodes[i] for step in trace.decode_steps for i in step.accepted]
    assert taken and all(node.probability > 0 for node in taken)


def test_a_stop_token_ends_an_approximate_run(target, engine):
    config = DecodeConfig("eagle", 60, rule=Rule.parse("top-k:5"))
    free = tokens(engine, PROMPT, config)
    eos = free[7]
    stopping = TinyEngine(engine.target, engine.draft, eos=(eos,))
    assert tokens(stopping, PROMPT, config) == free[: free.index(eos) + 1]


def test_no_replacement_is_one_of_the_rejected(engine):
    rejected = 0
    for seed in range(4):
        config = DecodeConfig(
            "eagley", 40, temperature=1.2, seed=seed, rule=Rule("speculative"), reuse=("recycled",)
        )
        for step in steps(engine, PROMPT, config):
            last = step.path[-1] if step.path else 0
            pairs = zip(step.rows.parents, step.rows.tokens, strict=True)
            children = [token for parent, token in list(pairs)[1:] if parent == last]
            assert step.bonus_id not in children
            rejected += bool(children)
    assert rejected > 20
