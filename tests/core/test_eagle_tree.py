"""The replay of EAGLE's own tree: the tree that EAGLE grew, and what it lacked."""

from dataclasses import replace

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.eagle_tree import _replayed, _stored_paths, held_by_eagle
from eagley_core.reuse_figures import ReuseFigures
from tests.core.doubles import ScriptedDraft, mixed, useless
from tests.core.recorded import PROMPT, recorded
from tests.core.tiny import TinyEngine, tokens

SHAPE = TreeShape("dynamic", 10, 3, 4)


def scripted(target, rank) -> TinyEngine:
    """An engine whose draft has the greedy continuation at that rank of its guesses."""
    text = tokens(TinyEngine(target, None), PROMPT, DecodeConfig("vanilla", 80))
    return TinyEngine(target, ScriptedDraft([*PROMPT, *text], target.vocab_size, rank))


@pytest.fixture
def eagle(target) -> TinyEngine:
    return scripted(target, mixed)


@pytest.mark.parametrize("sampling", [{}, {"temperature": 0.9, "seed": 2}])
def test_a_replay_of_eagle_grows_the_trees_that_it_verified(engine, sampling):
    trace, _ = recorded(engine, DecodeConfig("eagle", 30, tree=SHAPE, **sampling))
    n_steps = 0
    for step, tree in _replayed(engine, trace):
        paths = [()]
        for node in step.nodes:
            paths.append((*paths[node.parent + 1], node.token_id))
        assert set(paths) == tree
        n_steps += 1
    assert n_steps == len(trace.decode_steps)


def as_stored(trace):
    """The run, as if its accepted nodes had come from a store alone."""

    def changed(step):
        nodes = list(step.nodes)
        for i in step.accepted:
            nodes[i] = replace(nodes[i], source="recycled", sources=("recycled",))
        return replace(step, nodes=tuple(nodes))

    return replace(trace, steps=tuple(map(changed, trace.steps)))


def test_what_eagle_had_is_held_and_nothing_is_missed(eagle):
    trace, _ = recorded(eagle, DecodeConfig("eagle", 40, tree=SHAPE))
    found = held_by_eagle(eagle, as_stored(trace))
    n_accepted = sum(len(step.accepted) for step in trace.decode_steps)
    assert found.nodes == (n_accepted, n_accepted)
    assert n_accepted > 0
    assert found.missed.hits == 0 < found.missed.tested


def test_a_useless_drafts_tree_holds_nothing_of_it(eagle, target):
    trace, _ = recorded(eagle, DecodeConfig("eagle", 40, tree=SHAPE))
    found = held_by_eagle(scripted(target, useless), as_stored(trace))
    assert found.nodes.hits == 0 < found.nodes.tested
    assert 0 < found.missed.hits <= found.missed.tested


def test_a_replay_leaves_the_engine_ready(engine):
    config = DecodeConfig("eagley", 30)
    trace, _ = recorded(engine, config)
    held_by_eagle(engine, trace)
    assert recorded(engine, config)[0].output_ids == trace.output_ids


def test_the_figures_sum_what_was_held(eagle):
    trace, _ = recorded(eagle, DecodeConfig("eagle", 40, tree=SHAPE))
    ours = as_stored(replace(trace, config=replace(trace.config, tree=TreeShape())))
    ours = replace(ours, config=replace(ours.config, method="eagley"))
    figures = ReuseFigures(lambda trace: held_by_eagle(eagle, trace))
    figures.add({"eagle": trace, "ours": ours})
    figures.add({"ours": ours})
    found = figures.result()
    once = held_by_eagle(eagle, ours)
    assert found["ours"]["held_by_eagle"]["tested"] == 2 * once.nodes.tested > 0
    assert found["ours"]["missed_by_eagle"]["tested"] == 2 * once.missed.tested
    assert "held_by_eagle" not in found["eagle"]


def test_stored_paths_by_hand(eagle):
    trace, _ = recorded(eagle, DecodeConfig("eagle", 40, tree=SHAPE))
    assert all(_stored_paths(step) == [] for step in trace.decode_steps)
    step = next(step for step in as_stored(trace).decode_steps if len(step.accepted) > 1)
    tokens = [step.nodes[i].token_id for i in step.accepted]
    assert _stored_paths(step)[:2] == [tuple(tokens[:1]), tuple(tokens[:2])]
