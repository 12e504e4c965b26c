"""Turns of one chat: rows used again, what is learnt kept, and the tokens a fresh run's."""

import pytest
import torch

from eagley_core.cache import KVCache
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.conversation import Conversation, _common
from eagley_core.steps import StepFacts
from tests.core.recorded import as_trace
from tests.core.tiny import TinyEngine, decode, tiny_draft, tiny_target, tokens

FIRST = [5, 9, 60, 33, 2, 17, 41, 5, 9]
MORE = [11, 3, 60, 33]
METHODS = ("vanilla", "eagle", "eagley")


def turn(
    engine: TinyEngine, prompt: list[int], config: DecodeConfig, chat: Conversation
) -> list[StepFacts]:
    return list(engine.steps(prompt, config, decode, conversation=chat))


def emitted(facts: list[StepFacts]) -> list[int]:
    return [token for step in facts for token in step.emitted]


def talked(
    engine: TinyEngine, config: DecodeConfig, chat: Conversation
) -> tuple[list[int], list[StepFacts]]:
    """The second prompt of a chat, which goes on where the first answer ended, and its run."""
    prompt = [*FIRST, *emitted(turn(engine, FIRST, config, chat)), *MORE]
    return prompt, turn(engine, prompt, config, chat)


@pytest.mark.parametrize("sampling", [{}, {"temperature": 0.9, "repetition_penalty": 1.2}])
@pytest.mark.parametrize("method", METHODS)
def test_a_second_turn_emits_a_fresh_runs_tokens_and_runs_only_what_is_new(
    engine, method, sampling
):
    config = DecodeConfig(method, 20, **sampling)
    prompt, second = talked(engine, config, engine.conversation())
    assert emitted(second) == tokens(engine, prompt, config)
    # The new words, and the answer's last token unless it was accepted in a path that went on.
    assert second[0].n_rows in (len(MORE), len(MORE) + 1)


def test_a_kept_row_and_a_computed_one_hold_the_same(engine):
    config, chat = DecodeConfig("eagle", 20), engine.conversation()
    prompt, _ = talked(engine, config, chat)
    fresh = engine.target.new_cache(chat.cache.capacity)
    engine.target.prefill(torch.tensor(prompt), fresh)
    for device, rows in fresh.storage.items():
        kept = chat.cache.storage[device][..., : len(prompt), :]
        torch.testing.assert_close(kept, rows[..., : len(prompt), :], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("method", ["eagle", "eagley"])
def test_the_draft_proposes_as_if_the_chat_had_been_one_prompt(engine, method):
    config = DecodeConfig(method, 20, tree=TreeShape("auto"), reuse=())
    chat = engine.conversation()
    prompt, second = talked(engine, config, chat)
    fresh = engine.conversation()
    fresh.memory = chat.memory._replace(calibration=fresh.memory.calibration)
    alone = turn(engine, prompt, config, fresh)
    assert second[1].rows.log_q[0] == pytest.approx(alone[1].rows.log_q[0], abs=1e-5)
    assert second[1].rows.tokens[:2] == alone[1].rows.tokens[:2]


@pytest.mark.parametrize("at", [0, 1, 4, len(FIRST), len(FIRST) + 3])
def test_a_prompt_that_parts_from_the_chat_keeps_the_common_prefix_alone(engine, at):
    config, chat = DecodeConfig("eagley", 12), engine.conversation()
    text = [*FIRST, *emitted(turn(engine, FIRST, config, chat))]
    prompt = [*text[:at], (text[at] + 1) % 60, *MORE]
    found = turn(engine, prompt, config, chat)
    assert found[0].n_rows == len(prompt) - at
    assert emitted(found) == tokens(engine, prompt, config)


def test_the_same_prompt_again_runs_its_last_row_alone(engine):
    config, chat = DecodeConfig("eagley", 12), engine.conversation()
    first = emitted(turn(engine, FIRST, config, chat))
    again = turn(engine, FIRST, config, chat)
    assert emitted(again) == first
    assert again[0].n_rows == 1


def test_other_numerics_keep_no_rows(engine):
    chat = engine.conversation()
    turn(engine, FIRST, DecodeConfig("vanilla", 5, numerics="invariant"), chat)
    found = turn(engine, FIRST, DecodeConfig("vanilla", 5, numerics="fast"), chat)
    assert found[0].n_rows == len(FIRST)


def test_a_turn_left_in_the_middle_leaves_true_rows(engine):
    config, chat = DecodeConfig("eagley", 40), engine.conversation()
    left = engine.steps(FIRST, config, decode, conversation=chat)
    said = [token for _ in range(4) for token in next(left).emitted]
    left.close()
    prompt = [*FIRST, *said, *MORE]
    second = turn(engine, prompt, config, chat)
    assert emitted(second) == tokens(engine, prompt, config)
    assert second[0].n_rows == len(MORE) + 1


def test_the_store_and_the_calibration_go_on_and_another_chat_starts_without_rows(engine):
    config, chat = DecodeConfig("eagley", 20), engine.conversation()
    first = turn(engine, FIRST, config, chat)
    second = turn(engine, MORE, config, chat.another())
    assert second[0].n_rows == len(MORE)
    assert second[0].store_bytes >= first[-1].store_bytes > 0
    assert turn(engine, MORE, config, engine.conversation())[0].store_bytes < first[-1].store_bytes


def test_two_chats_on_one_engine_do_not_mix(engine):
    config = DecodeConfig("eagley", 15)
    ours, theirs = engine.conversation(), engine.conversation()
    said = emitted(turn(engine, FIRST, config, ours))
    turn(engine, MORE, config, theirs)
    tokens(engine, MORE, config)
    prompt = [*FIRST, *said, *MORE]
    second = turn(engine, prompt, config, ours)
    assert second[0].n_rows < len(FIRST)
    assert emitted(second) == tokens(engine, prompt, config)


def test_the_trace_says_which_rows_were_kept_and_from_which_turn_a_node_came():
    target = tiny_target()
    engine = TinyEngine(target, tiny_draft(target))
    config, chat = DecodeConfig("eagley", 30), engine.conversation()
    turn(engine, FIRST, config, chat)
    trace = as_trace(engine, config, turn(engine, FIRST, config, chat))
    assert (trace.turn, trace.reused_rows) == (1, len(FIRST) - 1)
    kept, ran = trace.steps[0].cache
    assert (kept.start, kept.stop, kept.provenance) == (0, len(FIRST) - 1, "kept")
    assert (ran.start, ran.stop, ran.provenance) == (len(FIRST) - 1, len(FIRST), "prefill")
    turns = {node.origin.turn for step in trace.steps for node in step.nodes if node.origin}
    assert 0 in turns
    trace.check()


def test_a_grown_cache_holds_the_rows_it_took(target):
    small, large = target.new_cache(6), target.new_cache(20)
    for rows in small.storage.values():
        rows.normal_(generator=torch.Generator().manual_seed(1))
    large.take(small, 4)
    assert isinstance(large, KVCache) and large.length == 4
    for device, rows in small.storage.items():
        assert torch.equal(large.storage[device][..., :4, :], rows[..., :4, :])


@pytest.mark.parametrize(
    ("known", "ids", "n"),
    [
        ([], [], 0),
        ([1, 2], [], 0),
        ([1, 2], [1, 2, 3], 2),
        ([1, 2, 3], [1, 5, 3], 1),
        ([1], [2], 0),
    ],
)
def test_the_common_prefix_by_hand(known, ids, n):
    assert _common(known, ids) == n
