"""Transformers' own modes on a tiny model, against our own decoding."""

from dataclasses import replace

import pytest

from eagley_core.bench import Plan, bench
from eagley_core.bench_rows import limited
from eagley_core.config import DecodeConfig
from eagley_core.lab import Lab
from eagley_core.peer_run import PeerRun, peer_fields
from eagley_core.peers import KINDS, Peer, PeerModel
from tests.core.test_bench import LINES, Letters
from tests.core.tiny import FAMILIES, TinyEngine, tiny_draft, tiny_model, tiny_target

PROMPT = [5, 9, 5, 9, 5, 9, 5]
CONFIG = DecodeConfig("vanilla", 12)


@pytest.fixture(scope="module")
def model() -> PeerModel:
    return PeerModel(tiny_model(FAMILIES["llama"]), [], tiny_model(FAMILIES["llama"], seed=1))


def peer(kind: str, **changes) -> Peer:
    number = 2 if kind in ("early-exit", "prompt-lookup") else None
    assistant = "tiny" if kind == "assisted" else None
    return Peer(kind, number, replace(CONFIG, **changes), assistant)


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_modes_emit_vanillas_tokens(kind, model):
    target = tiny_target()
    engine = TinyEngine(target, None)
    facts = engine.steps(PROMPT, CONFIG, lambda ids: "")
    wanted = [token for step in facts for token in step.emitted]
    found = model.run(peer(kind), PROMPT)
    assert list(found.output_ids) == wanted
    assert sum(found.passes) == len(wanted)
    assert 0 < found.first_seconds <= found.seconds


def test_plain_generate_brings_one_token_a_pass(model):
    assert model.run(peer("generate"), PROMPT).passes == (1,) * 12


def test_a_perfect_assistant_saves_passes():
    same = PeerModel(*[tiny_model(FAMILIES["llama"]), [], tiny_model(FAMILIES["llama"])])
    assert len(same.run(peer("assisted"), PROMPT).passes) < 12


def test_an_end_token_ends_a_peers_text_as_ours(model):
    plain = model.run(peer("generate"), PROMPT).output_ids
    ending = PeerModel(tiny_model(FAMILIES["llama"]), [plain[4]], None)
    stop = plain.index(plain[4]) + 1
    assert ending.run(peer("generate"), PROMPT).output_ids == plain[:stop]


def test_samples_are_repeatable_by_seed(model):
    hot = peer("generate", temperature=2.0, seed=3)
    assert model.run(hot, PROMPT).output_ids == model.run(hot, PROMPT).output_ids


def test_lanes_of_peers_are_interleaved_and_compared():
    target = tiny_target()
    peers = PeerModel(tiny_model(FAMILIES["llama"]), [], None)
    lab = Lab(TinyEngine(target, tiny_draft(target)), Letters(), "tiny", peers)
    lanes = {"vanilla": CONFIG, "eagley": DecodeConfig("eagley", 12)}
    lanes |= {name: Peer.parse(name, CONFIG) for name in ("generate", "prompt-lookup:3")}
    told = []
    found = bench(lab, LINES, Plan(lanes), told.append)
    order = [row["lane"] for row in found["rows"] if row["question_id"] == "1"]
    assert [name for name in order if name in lanes] == list(lanes)
    for name in ("generate", "prompt-lookup:3"):
        figures = found["methods"][name]
        assert figures["identical_to_vanilla"] == figures["compared"] == len(LINES)
        assert figures["new_tokens"] == 12
        assert found["speedup"][f"eagley_vs_{name}"]["median"] > 0
    assert found["best_peer"] in ("generate", "prompt-lookup:3")
    assert "generate" not in told[0].traces


def test_samples_of_a_peer_are_not_compared_token_by_token():
    peers = PeerModel(tiny_model(FAMILIES["llama"]), [], None)
    lab = Lab(TinyEngine(tiny_target(), None), Letters(), "tiny", peers)
    hot = replace(CONFIG, temperature=1.0)
    found = bench(
        lab,
        LINES,
        Plan({"vanilla": hot, "generate": Peer("generate", config=hot)}),
        lambda turn: None,
    )
    assert found["methods"]["generate"]["compared"] == 0


def test_figures_of_a_peer_by_hand(engine):
    vanilla = Lab(engine, Letters(), "tiny").ran
    from eagley_core.lab import Prompt

    run = PeerRun((1,) * 9, (1, 3, 4, 1), first_seconds=1.0, seconds=3.0)
    found = peer_fields(run, vanilla(Prompt("x"), CONFIG))
    assert found["decode_tokens_per_second"] == 4.0  # 8 tokens after the first pass, in 2 s
    assert found["mean_accepted_length"] == 3.5  # the last pass may be cut short
    assert (found["target_passes"], found["tokens_per_second"]) == (3, 3.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("magic", "must be among generate"),
        ("generate:2", "takes no number"),
        ("early-exit", "needs its layers"),
        ("assisted", "needs --assistant"),
        ("prompt-lookup:0", "above 0"),
        ("prompt-lookup:x", "must look like prompt-lookup:N"),
    ],
)
def test_a_peer_that_is_none_is_refused(text, told):
    with pytest.raises(ValueError, match=told):
        Peer.parse(text, CONFIG)


def test_what_a_mode_lacks_is_said_before_the_run(model):
    with pytest.raises(ValueError, match="4 layers only"):
        model.check([Peer("early-exit", 4)])
    with pytest.raises(ValueError, match="stop strings"):
        Peer("generate", config=replace(CONFIG, stop=("x",)))
    with pytest.raises(ValueError, match="vanilla"):
        Plan({"generate": Peer("generate")})


def test_a_limit_of_a_question_goes_to_peers_too():
    assert limited(Peer("generate", config=CONFIG), 5).config.max_new_tokens == 5
    assert limited(CONFIG, None) is CONFIG
