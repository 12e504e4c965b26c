"""Nothing after EOS, a stop string or a limit is emitted, in whichever place of a step it falls."""

from dataclasses import replace

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from tests.core.doubles import ScriptedDraft
from tests.core.tiny import TinyEngine, decode, steps, tiny_draft, tiny_target, tokens

PROMPT = [5, 9, 60, 33, 2, 17, 41]
CHAIN = TreeShape("dynamic", 4, 4, 1)  # five tokens a step with a perfect draft
LONG = 30


@pytest.fixture(scope="module")
def text(target) -> list[int]:
    """What the target would say without any stop; sampled, so that it does not repeat itself."""
    return tokens(TinyEngine(target, None), PROMPT, config("vanilla", max_new_tokens=LONG + 10))


def config(method: str = "eagle", **settings: object) -> DecodeConfig:
    tree = CHAIN if method == "eagle" else TreeShape()
    defaults = {"max_new_tokens": LONG, "temperature": 1.2, "seed": 1, "tree": tree}
    return DecodeConfig(method, **{**defaults, **settings})


def perfect_engine(target, text, eos=()) -> TinyEngine:
    return TinyEngine(target, ScriptedDraft([*PROMPT, *text], target.vocab_size), eos)


def outcome(engine: TinyEngine, settings: DecodeConfig, prompt=PROMPT) -> tuple[list[int], str]:
    found = steps(engine, prompt, settings)
    assert all(step.finish is None for step in found[:-1])
    return [token for step in found for token in step.emitted], found[-1].finish


@pytest.mark.parametrize("offset", range(12))
def test_eos_at_every_offset_of_a_step_is_the_last_token(target, text, offset):
    eos = text[offset]
    first = text.index(eos)
    expected = (text[: first + 1], "eos")
    assert outcome(TinyEngine(target, None, [eos]), config("vanilla")) == expected
    assert outcome(perfect_engine(target, text, [eos]), config()) == expected
    engine = TinyEngine(target, ScriptedDraft([*PROMPT, *text], target.vocab_size), [eos])
    assert outcome(engine, config("eagley")) == expected


def test_the_earliest_of_several_eos_ids_ends_the_text(target, text):
    several = [text[9], text[3], text[6]]
    first = min(text.index(eos) for eos in several)
    assert outcome(perfect_engine(target, text, several), config()) == (text[: first + 1], "eos")


def test_an_eos_id_in_the_prompt_ends_nothing(target, text):
    unused = next(i for i in PROMPT if i not in text[:10])
    found = outcome(perfect_engine(target, text, [unused]), config(max_new_tokens=10))
    assert found == (text[:10], "length")


@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("offset", range(7))
def test_a_stop_string_ends_the_text_with_the_token_that_completes_it(target, text, offset, length):
    stop = decode(text[offset : offset + length])
    end = decode(text).index(stop) + length
    for method in ("vanilla", "eagle", "eagley"):
        found = outcome(perfect_engine(target, text), config(method, stop=("never", stop)))
        assert found == (text[:end], "stop")


def test_a_stop_string_within_a_tokens_text_is_found(target, text):
    """Every token is three letters here; the stop string lies across two tokens."""

    def spelt(ids):
        return "".join(f"<{decode([i])}>" for i in ids)

    stop = spelt(text[6:8])[1:-1]
    found = [
        token
        for step in perfect_engine(target, text).steps(PROMPT, config(stop=(stop,)), spelt)
        for token in step.emitted
    ]
    assert found == text[:8]


@pytest.mark.parametrize("limit", range(1, 13))
def test_exactly_max_new_tokens_are_emitted(target, text, limit):
    expected = (text[:limit], "length")
    for method in ("vanilla", "eagle", "eagley"):
        settings = config(method, max_new_tokens=limit)
        assert outcome(perfect_engine(target, text), settings) == expected


@pytest.mark.parametrize("method", ["vanilla", "eagle", "eagley"])
@pytest.mark.parametrize("context", range(len(PROMPT) + 1, len(PROMPT) + 13))
def test_prompt_and_output_never_exceed_the_context(text, method, context):
    small = tiny_target(max_position_embeddings=context)
    found = outcome(perfect_engine(small, text), config(method))
    assert found == (text[: context - len(PROMPT)], "context")


@pytest.mark.parametrize("shape", ["fixed", "dynamic", "auto"])
def test_no_node_lies_outside_the_context(text, shape):
    context = len(PROMPT) + 9
    small = tiny_target(max_position_embeddings=context)
    engine = TinyEngine(small, tiny_draft(small))
    for step in steps(engine, PROMPT, config(tree=TreeShape(shape)))[1:]:
        depths = [0]
        for parent in step.rows.parents[1:]:
            depths.append(depths[parent] + 1)
        assert step.position + max(depths) < context


def test_the_stop_that_comes_first_gives_the_reason(target, text):
    eos = text[7]
    engine = perfect_engine(target, text, [eos])
    first = text.index(eos)
    assert outcome(engine, config(max_new_tokens=first))[1] == "length"
    assert outcome(engine, config(max_new_tokens=first + 1))[1] == "eos"


def test_a_cut_step_still_tells_its_whole_path(target, text):
    *_, last = steps(perfect_engine(target, text), PROMPT, config(max_new_tokens=8))
    assert len(last.path) == 4
    assert last.emitted == tuple(text[6:8])


def test_an_empty_prompt_is_refused(engine):
    with pytest.raises(ValueError, match="the prompt has no tokens"):
        tokens(engine, [], config("vanilla"))


@pytest.mark.parametrize("length", [128, 129, 500])
def test_a_prompt_that_fills_the_context_is_refused_with_both_numbers(engine, length):
    message = f"the prompt has {length} tokens, the context of tiny llama holds 128"
    with pytest.raises(ValueError, match=message):
        tokens(engine, [1] * length, config("vanilla"))


@pytest.mark.parametrize("method", ["vanilla", "eagle", "eagley"])
def test_a_prompt_one_short_of_the_context_gets_one_token(engine, method):
    found = steps(engine, [1, 2] * 63 + [3], config(method))
    assert [len(step.emitted) for step in found] == [1]
    assert found[0].finish == "context"


def test_a_method_without_its_draft_is_refused(target):
    with pytest.raises(ValueError, match="method eagle needs a draft, and none is loaded"):
        tokens(TinyEngine(target, None), PROMPT, config())


def test_a_refused_prompt_leaves_the_engine_ready(target, text):
    engine = perfect_engine(target, text)
    with pytest.raises(ValueError, match="no tokens"):
        tokens(engine, [], config())
    assert tokens(engine, PROMPT, replace(config(), max_new_tokens=5)) == text[:5]


@pytest.mark.parametrize("total", [64, 65, 100, 200])
def test_a_large_dynamic_tree_fits_the_cache(target, total):
    engine = TinyEngine(target, tiny_draft(target))
    tree = TreeShape("dynamic", total, 5, 8)
    expected = tokens(engine, PROMPT, config("vanilla", max_new_tokens=9))
    assert tokens(engine, PROMPT, config(tree=tree, max_new_tokens=9)) == expected
