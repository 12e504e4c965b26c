"""Sizes and times of drafts against their target."""

import pytest

from eagley_core.config import DecodeConfig
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.draft_figures import draft_figures
from eagley_core.early_exit import EarlyExitDraft
from eagley_core.exit_head import ExitConfig, ExitHead
from eagley_core.model_draft import ModelDraft
from tests.core.tiny import VOCABULARY, TinyEngine, tiny_draft, tiny_target

COSTS = Costs((2.0,) * (MAX_ROWS + 1), 0.1, 0.5)
EAGLE = DecodeConfig("eagle")


def ratio(draft) -> float:
    engine = TinyEngine(tiny_target(), draft, costs=COSTS)
    return draft_figures(engine, EAGLE)["draft_size_ratio"]


def test_a_copy_of_the_target_is_as_large_and_times_are_of_one_pass_each():
    target = tiny_target()
    draft = ModelDraft(tiny_target(), "copy", VOCABULARY)
    found = draft_figures(TinyEngine(target, draft, costs=COSTS), EAGLE)
    sizes = {"draft_size_ratio": 1.0, "draft_byte_ratio": 1.0}
    assert found == {**sizes, "draft_latency_ratio": 0.25}


def test_a_head_counts_what_it_reads_by_hand():
    target = tiny_target()  # 4 layers: attention 32x(32+16+16+32), MLP 3x32x48, two norms
    layer = 32 * 96 + 3 * 32 * 48 + 2 * 32
    whole = 4 * layer + 32 + 64 * 32
    assert target.size.parameters == whole
    head = ExitHead(ExitConfig(1, 32, 8, 16))
    exit_parts = 32 + 32 * 16 + 8 * 32 + 32 + 16 * 32  # norms, MLP, lm_head rows
    assert ratio(EarlyExitDraft(head, target, "exit")) == (layer + exit_parts) / whole


def test_a_deeper_exit_and_a_larger_model_are_larger():
    exits = [EarlyExitDraft(ExitHead(ExitConfig(n, 32, 8, 16)), tiny_target(), "") for n in (1, 3)]
    assert ratio(exits[0]) < ratio(exits[1]) < 1
    small = ModelDraft(tiny_target(num_hidden_layers=1), "small", VOCABULARY)
    assert ratio(small) < 1


@pytest.mark.parametrize("method", ["vanilla", "eagley"])
def test_without_a_draft_there_are_no_figures(method):
    target = tiny_target()
    draft = tiny_draft(target) if method == "vanilla" else None
    found = draft_figures(TinyEngine(target, draft, costs=COSTS), DecodeConfig(method))
    assert set(found.values()) == {None}
