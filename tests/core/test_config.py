"""Bad settings stop at the door, with the value in the message."""

import math

import pytest

from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.reuse import is_exact, value_of
from eagley_core.rule import Rule

BAD = {
    "method": ("magic", "method must be one of vanilla, eagle, eagley, got 'magic'"),
    "numerics": ("exact", "numerics must be one of invariant, fast, got 'exact'"),
    "max_new_tokens": (0, "max_new_tokens must be at least 1, got 0"),
    "temperature": (-0.5, "temperature must be at least 0, got -0.5"),
    "top_k": (-1, "top_k must be at least 0, got -1"),
    "top_p": (1.5, r"top_p must lie in \(0, 1\], got 1.5"),
    "repetition_penalty": (0, "repetition_penalty must be above 0, got 0"),
    "seed": (-3, "seed must be at least 0, got -3"),
    "stop": (("a", ""), "a stop string must not be empty"),
    "reuse": (("cache",), "reuse must be among recycled, suffix, .*, got 'cache'"),
    "tree": (TreeShape("fixed"), "tree must be auto, got fixed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_setting_is_named_with_its_value(name):
    value, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        DecodeConfig(**{name: value})


@pytest.mark.parametrize("name", ["temperature", "top_p", "repetition_penalty"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} .*got {value}"):
        DecodeConfig(**{name: value})


@pytest.mark.parametrize("name", ["max_new_tokens", "top_k", "seed"])
@pytest.mark.parametrize("value", [2.5, "3", True])
def test_counts_must_be_whole_numbers(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a whole number, got {value!r}"):
        DecodeConfig(**{name: value})


def test_a_seed_that_no_key_can_hold_is_refused():
    assert DecodeConfig(seed=2**64 - 1).seed == 2**64 - 1
    with pytest.raises(ValueError, match="seed must be below 2.*64, got 18446744073709551616"):
        DecodeConfig(seed=2**64)


@pytest.mark.parametrize(
    "text", ["auto", "fixed", "dynamic:20,4,3", "auto:8,3,2", "dynamic:1,1,1", "auto:200,30,9"]
)
def test_a_tree_in_words_reads_back(text):
    shape = TreeShape.parse(text)
    assert TreeShape.parse(str(shape)) == shape
    assert str(shape).startswith(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tree must be one of auto, fixed, dynamic, got ''"),
        ("bush", "got 'bush'"),
        ("bush:1,2,3", "got 'bush'"),
        ("dynamic:1,2", "dynamic:TOTAL,DEPTH,TOPK, got 'dynamic:1,2'"),
        ("dynamic:", "dynamic:TOTAL,DEPTH,TOPK, got 'dynamic:'"),
        ("dynamic:1,2,3,4", "got 'dynamic:1,2,3,4'"),
        ("dynamic:a,b,c", "got 'dynamic:a,b,c'"),
        ("dynamic:-1,2,3", "got 'dynamic:-1,2,3'"),
        ("dynamic:1.5,2,3", "got 'dynamic:1.5,2,3'"),
        ("dynamic:²,2,3", "got 'dynamic:²,2,3'"),
        ("auto:0,2,3", "total must be at least 1, got 0"),
        ("auto:4,0,3", "depth must be at least 1, got 0"),
        ("auto:4,2,0", "top_k must be at least 1, got 0"),
        ("dynamic:21,2,4", "has 20 candidates, fewer than its total of 21"),
        ("fixed:1,2,3", "fixed has no sizes, got 'fixed:1,2,3'"),
    ],
)
def test_a_bad_tree_is_refused_with_the_words_that_were_given(text, message):
    with pytest.raises(ValueError, match=message):
        TreeShape.parse(text)


def test_a_temperature_that_would_overflow_is_refused():
    assert DecodeConfig(temperature=1e-5).temperature == 1e-5
    with pytest.raises(ValueError, match="temperature must be 0 or at least 1e-05, got 1e-40"):
        DecodeConfig(temperature=1e-40)


def test_a_bare_stop_string_is_not_taken_for_its_letters():
    with pytest.raises(ValueError, match="stop must be a tuple of strings, got 'END'"):
        DecodeConfig(stop="END")


def test_a_dynamic_tree_may_hold_its_whole_pool():
    assert TreeShape("dynamic", 20, 2, 4).total == 20


@pytest.mark.parametrize(
    "channel", ["recycled", "recycled:rejected", "suffix", "draft-kv:new", "stale-kv:8"]
)
def test_channels_are_known_by_name_and_value(channel):
    assert DecodeConfig(reuse=(channel,)).reuse == (channel,)


@pytest.mark.parametrize(
    "channel", ["recycled:", "suffix:1", "draft-kv", "stale-kv", "stale-kv:0", "stale-kv:N"]
)
def test_a_channel_with_a_wrong_value_is_refused(channel):
    with pytest.raises(ValueError, match=f"reuse of .* must be .*, got '{channel}'"):
        DecodeConfig(reuse=(channel,))


def test_what_a_channel_list_says():
    channels = ("recycled", "stale-kv:8")
    assert (value_of(channels, "recycled"), value_of(channels, "stale-kv")) == ("", "8")
    assert value_of(channels, "suffix") is None
    assert not is_exact(channels) and not is_exact(("draft-kv:none",))
    assert is_exact(("recycled", "draft-kv:exact"))


@pytest.mark.parametrize("text", ["exact", "speculative", "seed-ratio:0.2", "typical:0.3,0.09"])
def test_a_rule_reads_what_it_writes(text):
    assert str(Rule.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic", "rule must be one of exact, .*, got 'magic'"),
        ("exact:1", "rule exact takes no number"),
        ("lenience", r"rule lenience takes lenience, got \(\)"),
        ("lenience:2", r"lenience of rule lenience must lie in \[0.0, 1.0\], got 2.0"),
        ("lenience:nan", "must lie in"),
        ("top-k:three", "rule top-k has a number that is none"),
    ],
)
def test_a_wrong_rule_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        Rule.parse(text)


def test_coupling_follows_temperature_and_rule():
    assert DecodeConfig("eagle", temperature=1.0).is_coupled
    assert not DecodeConfig("eagle", temperature=1.0, coupled=False).is_coupled
    assert not DecodeConfig("eagle").is_coupled
    assert not DecodeConfig("vanilla", temperature=1.0).is_coupled
    speculative = Rule("speculative")
    assert not DecodeConfig("eagle", temperature=1.0, rule=speculative).is_coupled
    with pytest.raises(ValueError, match="coupled drafting needs the rule exact"):
        DecodeConfig("eagle", temperature=1.0, rule=speculative, coupled=True)


def test_the_control_more_draft_stands_in_for_other_channels():
    assert DecodeConfig(reuse=("suffix", "more-draft")).reuse == ("suffix", "more-draft")
    with pytest.raises(ValueError, match="more-draft drafts in place of other channels"):
        DecodeConfig(reuse=("more-draft",))
