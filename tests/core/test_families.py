"""Every supported family: a tree pass over our cache is the model's own forward of each path."""

import pytest
import torch

from eagley_core.target import Target
from eagley_core.tree import make_tree
from tests.core.tiny import FAMILIES, assert_near, tiny_model

PROMPT = [5, 9, 60, 33, 2, 17, 41]
#            root
#           / |  \
#          1  2   3
#         /|  |
#        4 5  6
#        |
#        7
TOKENS = [11, 20, 21, 22, 30, 31, 30, 50]
PARENTS = [0, 0, 0, 0, 1, 1, 2, 4]


@pytest.fixture(params=FAMILIES)
def model(request: pytest.FixtureRequest):
    """The model itself, and a target that may repack its weights."""
    config = FAMILIES[request.param]
    return tiny_model(config), Target(tiny_model(config), request.param)


def path_to(row: int) -> list[int]:
    return [TOKENS[0]] if row == 0 else [*path_to(PARENTS[row]), TOKENS[row]]


def forward(model, ids: list[int]):
    with torch.inference_mode():
        return model(torch.tensor([ids]), output_hidden_states=True)


@pytest.mark.parametrize("invariant", [True, False])
def test_every_row_of_a_tree_pass_is_the_full_forward_of_its_path(model, invariant):
    reference, target = model
    cache = target.new_cache(32)
    target.prefill(torch.tensor(PROMPT), cache, invariant)
    tree = make_tree(torch.tensor(TOKENS), torch.tensor(PARENTS), 3)
    passed = target.run(tree.tokens, tree.depths, tree.mask, cache, invariant)
    logits = target.logits(passed.hidden)
    for row in range(len(TOKENS)):
        whole = forward(reference, PROMPT + path_to(row)).logits[0, -1]
        assert_near(logits[row], whole)


def test_captured_features_are_transformers_hidden_states(model):
    reference, target = model
    n_layers = len(target.layers)
    wanted = (0, 2, n_layers - 1, n_layers)
    target.capture(wanted)
    cache = target.new_cache(32)
    prompt = target.prefill(torch.tensor(PROMPT), cache)
    tree = make_tree(torch.tensor(TOKENS), torch.tensor(PARENTS), 3)
    branch = target.run(tree.tokens, tree.depths, tree.mask, cache)
    states = forward(reference, PROMPT + path_to(7)).hidden_states
    for place, state in enumerate(wanted):
        want = states[state][0]
        assert_near(prompt.features[:, place], want[: len(PROMPT)])
        assert_near(branch.features[7, place], want[-1])


def test_a_prefill_in_blocks_is_the_prefill_in_one(model, monkeypatch):
    reference, target = model
    monkeypatch.setattr("eagley_core.target.PREFILL_ROWS", 3)
    passed = target.prefill(torch.tensor(PROMPT), target.new_cache(32))
    whole = forward(reference, PROMPT).logits[0]
    assert_near(target.logits(passed.hidden), whole)


def test_capturing_again_replaces_the_hooks(model):
    _, target = model
    for _ in range(3):
        target.capture((1,))
    assert len(target.layers[1]._forward_pre_hooks) == 1
    target.capture(())
    assert not target.layers[1]._forward_pre_hooks


def test_a_state_that_the_target_does_not_have_is_named(model):
    _, target = model
    with pytest.raises(ValueError, match="state 9 to capture: the target has 4 layers"):
        target.capture((1, 9))
