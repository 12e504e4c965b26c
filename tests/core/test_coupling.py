"""Coupled drafting: the draft ranks with the noise that will decide."""

import pytest
import torch

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.drafting import Coupling, Ranking, best_children
from eagley_core.model_draft import ModelDraft
from tests.core.tiny import TinyEngine, steps, tiny_draft, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17]
LOGITS = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
NOISE = torch.tensor([0.0, 0.5, 3.0, 0.0])


def ranked(**settings: float):
    config = DecodeConfig("eagle", temperature=settings.pop("temperature", 1.0), **settings)
    coupling = Coupling(NOISE, config)
    ranking = Ranking(2, config.temperature, None, coupling)
    return best_children(LOGITS, torch.zeros(1, 1), ranking)


def test_the_noise_ranks_and_q_stays_the_drafts_own():
    found = ranked()
    assert found.tokens.tolist() == [[2, 0]]  # 0 + 3 before 2 + 0
    wanted = LOGITS.log_softmax(-1)[0].tolist()
    assert found.log_probs[0].tolist() == pytest.approx([wanted[2], wanted[0]])
    weights = (LOGITS + NOISE).log_softmax(-1)[0].tolist()
    assert found.weights[0].tolist() == pytest.approx([weights[2], weights[0]])


def test_the_temperature_divides_the_logits_and_not_the_noise():
    assert ranked(temperature=0.5).tokens.tolist() == [[0, 2]]  # 4 + 0 before 0 + 3


def test_what_the_target_cannot_sample_is_not_proposed():
    assert ranked(top_k=2).tokens.tolist() == [[0, 1]]


def test_a_reduced_draft_vocabulary_takes_its_own_noise():
    coupling = Coupling(torch.tensor([9.0, 0.0, 9.0, 0.0, 9.0, 3.0, 9.0, 0.0]), DecodeConfig())
    ids = torch.tensor([1, 3, 5, 7])
    found = best_children(LOGITS, torch.zeros(1, 1), Ranking(1, 1.0, ids, coupling))
    assert found.tokens.tolist() == [[5]]


@pytest.fixture(scope="module")
def target():
    return tiny_target()


@pytest.mark.parametrize("shape", ["auto:4,4,1", "dynamic:4,4,1", "auto:12,4,3"])
@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_a_perfect_draft_guesses_every_sample(target, shape, temperature):
    """The target as its own draft knows the sample, because it knows the noise."""
    engine = TinyEngine(target, ModelDraft(target, "itself", target.vocab_size))
    config = DecodeConfig("eagle", 40, temperature=temperature, tree=TreeShape.parse(shape))
    found = [step for step in steps(engine, PROMPT, config)[1:] if step.finish is None]
    for step in found:  # the path ends only where the tree does
        assert (0, *step.path)[-1] not in step.rows.parents[1:]
    if shape.startswith("dynamic"):  # the cost model decides on the depth by itself
        assert {len(step.path) for step in found} == {4}


@pytest.mark.parametrize("method", ["eagle", "eagley"])
@pytest.mark.parametrize("top_p", [1.0, 0.7])
def test_coupling_changes_the_guesses_and_never_the_output(target, method, top_p):
    engine = TinyEngine(target, tiny_draft(target))
    outputs, guesses = [], []
    for coupled in (True, False):
        config = DecodeConfig(method, 40, temperature=1.0, top_p=top_p, coupled=coupled)
        found = steps(engine, PROMPT, config)
        outputs.append([token for step in found for token in step.emitted])
        guesses.append([step.rows.tokens for step in found])
    vanilla = DecodeConfig("vanilla", 40, temperature=1.0, top_p=top_p)
    assert outputs[0] == outputs[1] == tokens(engine, PROMPT, vanilla)
    assert guesses[0] != guesses[1]
