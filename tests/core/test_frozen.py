"""Frozen costs and calibration: saved, read, and decided by."""

import json

import pytest

from eagley_core.calibration import Calibration
from eagley_core.config import DecodeConfig
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.engine import Engine
from eagley_core.frozen import FORMAT, Frozen, load_frozen, save_frozen
from eagley_core.prior import Evidence
from tests.core.tiny import COSTS, TinyEngine, steps, tiny_draft, tiny_target

SEEN = Evidence(1, 0.5, True, "", None)
PROMPT = [5, 9, 60, 33, 2, 17, 41, 5, 9]


def taught() -> Calibration:
    calibration = Calibration()
    calibration.learn([(SEEN, True), (SEEN, True), (SEEN, False)])
    return calibration


def test_what_was_saved_is_read(tmp_path):
    save_frozen(tmp_path / "a.json", COSTS, taught())
    found = load_frozen(tmp_path / "a.json")
    assert found.costs == COSTS
    assert Calibration.frozen(found.counts).probability(SEEN) == taught().probability(SEEN)


def test_a_frozen_calibration_learns_nothing():
    frozen = Calibration.frozen(taught().counts())
    known = frozen.probability(SEEN)
    frozen.learn([(SEEN, False)] * 50)
    assert frozen.probability(SEEN) == known


def test_an_engine_decides_by_frozen_costs_and_measures_none(tmp_path, monkeypatch):
    monkeypatch.setattr("eagley_core.engine.measured", None)
    target = tiny_target()
    engine = Engine(target, tiny_draft(target), (), tmp_path)
    dear = Costs(tuple(float(n) for n in range(MAX_ROWS + 1)), 0.05, 0.05)
    trees = []
    for costs in (COSTS, dear):
        engine.freeze(Frozen(costs, taught().counts()))
        assert engine.costs(True) == costs
        run = steps(engine, PROMPT, DecodeConfig("eagley", 20))
        trees.append(max(len(step.rows.tokens) for step in run))
        assert engine.conversation().memory.calibration.counts() == taught().counts()
    assert trees[0] > trees[1]


def test_two_engines_decide_alike_by_one_file(tmp_path):
    target = tiny_target()
    teacher = TinyEngine(target, tiny_draft(target))
    chat, config = teacher.conversation(), DecodeConfig("eagley", 20)
    list(teacher.steps(PROMPT, config, lambda ids: "", conversation=chat))
    save_frozen(tmp_path / "a.json", COSTS, chat.memory.calibration)
    runs = []
    for _ in range(2):
        engine = Engine(target, tiny_draft(target), (), tmp_path)
        engine.freeze(load_frozen(tmp_path / "a.json"))
        runs.append([(s.rows, s.estimate) for s in steps(engine, PROMPT, config)])
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        json.dumps({"format": "other"}),
        json.dumps({"format": FORMAT, "costs": {}, "counts": []}),
        json.dumps({"format": FORMAT, "costs": {"verify": [1], "feed": 1, "extend": 1}}),
        json.dumps({"format": FORMAT, "costs": COSTS.__dict__, "counts": [[1]]}),
    ],
)
def test_a_file_that_is_none_is_refused_by_name(tmp_path, content):
    (tmp_path / "b.json").write_text(content)
    with pytest.raises(ValueError, match=r"b\.json holds no frozen"):
        load_frozen(tmp_path / "b.json")
