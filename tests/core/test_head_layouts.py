"""Every published layout is read as what it means, and drafts without changing the output."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.draft import EagleDraft
from eagley_core.drafting import Children, DraftRows
from eagley_core.head_file import load_head
from eagley_core.target import Target
from tests.core.head_cases import CASES, OFFICIAL, Case
from tests.core.plain_head import speeds
from tests.core.published import eagle3, vocabulary, write
from tests.core.tiny import FAMILIES, TinyEngine, begin, tiny_model, tiny_target, tokens

TEXT = [5, 9, 60, 33, 2, 17, 41, 8, 9]
DRAFTED = [10, 31, 40]
N_TOKENS = 6
SWITCHES = ("speeds", "normed_residual", "carries_normed", "predicts_unnormed")
FORMS = ("safetensors", "bin", "safetensors shards", "bin shards")


@pytest.fixture(scope="module")
def target() -> Target:
    """Deep enough for EAGLE-3's states, and with rotary positions that no head has."""
    return tiny_target(
        num_hidden_layers=8, rope_parameters={"rope_type": "default", "rope_theta": 77.0}
    )


@pytest.fixture(params=CASES)
def case(request, target) -> Case:
    return CASES[request.param](target)


@pytest.fixture
def draft(case, target, tmp_path) -> EagleDraft:
    folder = write(tmp_path / "head", case.config, case.tensors)
    return EagleDraft(load_head(folder, target), target, "head")


def true_features(target: Target, ids: list[int]) -> torch.Tensor:
    return target.prefill(torch.tensor(ids), target.new_cache(32)).features


def row_of(found: Children, case: Case) -> torch.Tensor:
    """The first row's log probabilities, over the head's own tokens."""
    known = dict(zip(found.tokens[0].tolist(), found.log_probs[0].tolist(), strict=True))
    return torch.tensor([known[i] for i in case.token_ids.tolist()]).log_softmax(0)


def test_a_head_predicts_what_its_tensors_mean(case, draft, target):
    target.capture(draft.state_ids)
    features = true_features(target, TEXT[:-1])
    draft.start(begin(64, 0))
    found = [draft.feed(features, TEXT[1:], 64)]
    for depth, token in enumerate(DRAFTED):
        mask = torch.ones(1, depth + 1, dtype=torch.bool)
        position = torch.tensor([draft.length + depth])
        rows = DraftRows(found[-1].hidden[:1], torch.tensor([token]), position, mask)
        found.append(draft.extend(rows, 64))
    wanted = case.plain.log_probs(features, TEXT[1:] + DRAFTED, len(DRAFTED))
    for row, expected in zip(found, wanted, strict=True):
        assert torch.allclose(row_of(row, case), expected, atol=2e-4)


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_switch_of_a_plain_head_changes_its_figures(target, switch):
    """So that a head that ignored one would be found out."""
    case = CASES["eagle3"](target)
    plain, value = case.plain, speeds(300.0, 8) if switch == "speeds" else True
    features = torch.randn(8, 3, 32, generator=torch.Generator().manual_seed(1))
    changed = replace(plain, **{switch: value})
    found, other = (p.log_probs(features, TEXT[1:] + DRAFTED, 3) for p in (plain, changed))
    assert (found - other).abs().max() > 0.01


def test_a_head_reads_the_states_that_its_layout_means(case, draft):
    assert draft.state_ids == case.state_ids


def test_a_head_proposes_its_own_tokens(case, draft, target):
    target.capture(draft.state_ids)
    draft.start(begin(64, 0))
    found = draft.feed(true_features(target, TEXT[:-1]), TEXT[1:], 64).tokens[0].tolist()
    assert set(case.token_ids.tolist()) <= set(found)
    assert len(set(found)) == len(found)


@pytest.fixture(scope="module")
def vanilla(target) -> list[int]:
    return tokens(TinyEngine(target, None), TEXT, DecodeConfig("vanilla", N_TOKENS))


@pytest.mark.parametrize("method", ["eagle", "eagley"])
def test_the_output_is_vanillas(draft, target, vanilla, method):
    engine = TinyEngine(target, draft)
    assert tokens(engine, TEXT, DecodeConfig(method, N_TOKENS)) == vanilla


@pytest.mark.parametrize("tree", ["fixed", "dynamic:12,4,3", "auto:20,6,4"])
@pytest.mark.parametrize(
    "name", ["eagle1", "eagle3 of another width", "speculators, output normed"]
)
def test_the_output_is_vanillas_with_every_tree(target, vanilla, tmp_path, name, tree):
    case = CASES[name](target)
    folder = write(tmp_path, case.config, case.tensors)
    engine = TinyEngine(target, EagleDraft(load_head(folder, target), target, "head"))
    config = DecodeConfig("eagle", N_TOKENS, tree=TreeShape.parse(tree))
    assert tokens(engine, TEXT, config) == vanilla


@pytest.mark.parametrize("name", ["eagle1", "eagle3 of another width", "speculators of qwen3"])
def test_samples_are_vanillas_too(target, tmp_path, name):
    case = CASES[name](target)
    folder = write(tmp_path, case.config, case.tensors)
    engine = TinyEngine(target, EagleDraft(load_head(folder, target), target, "head"))
    wanted, *found = (
        tokens(engine, TEXT, DecodeConfig(method, N_TOKENS, temperature=0.9, seed=3))
        for method in ("vanilla", "eagle", "eagley")
    )
    assert found == [wanted, wanted]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["eagle1 with its embedding", "eagle3", "speculators"])
def test_every_form_of_the_files_holds_the_same_head(target, tmp_path, name, form):
    case = CASES[name](target)
    heads = [
        load_head(write(tmp_path / f, case.config, case.tensors, f), target)
        for f in ("safetensors", form)
    ]
    assert heads[0].config == heads[1].config
    for (key, wanted), found in zip(
        heads[0].state_dict().items(), heads[1].state_dict().values(), strict=True
    ):
        assert torch.equal(wanted, found), key


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_any_stored_dtype_becomes_the_targets(target, tmp_path, dtype):
    tensors = {k: v.to(dtype) for k, v in eagle3().items()}
    head = load_head(write(tmp_path, OFFICIAL, {**tensors, **vocabulary()}), target)
    assert {p.dtype for p in head.parameters()} == {target.dtype}


@pytest.mark.parametrize("shards", ["40KB", "1GB"])
def test_a_target_in_one_file_or_many_lends_its_embedding(tmp_path, shards):
    tiny_model(FAMILIES["llama"]).save_pretrained(tmp_path / "target", max_shard_size=shards)
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "target", dtype=torch.float32)
    target = Target(model, "stored")
    case = CASES["eagle1"](target)
    folder = write(tmp_path / "head", case.config, case.tensors)
    engine = TinyEngine(target, EagleDraft(load_head(folder, target), target, "head"))
    wanted = tokens(engine, TEXT, DecodeConfig("vanilla", 8))
    assert tokens(engine, TEXT, DecodeConfig("eagle", 8)) == wanted
