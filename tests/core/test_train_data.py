"""What training reads: conversations checked and split, features kept on disk."""

from pathlib import Path

import numpy as np
import pytest
import torch

from eagley_core.target import Target
from eagley_core.train import data, features
from tests.core.talks import talks, write
from tests.core.tiny import VOCABULARY, tiny_target


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def deep() -> Target:
    return tiny_target(num_hidden_layers=8)


def test_features_are_those_of_each_conversation_alone(deep: Target, tmp_path: Path) -> None:
    made = talks()
    deep.capture((2, 4, 5))
    found = features.compute(deep, made, len(made), tmp_path, quiet)
    begin, end = int(made.offsets[7]), int(made.offsets[8])
    tokens = made.tokens[begin:end].long()
    alone = deep.prefill(tokens, deep.new_cache(len(tokens)))
    assert torch.allclose(found.states[begin:end].float(), alone.features, rtol=1e-2, atol=1e-2)
    logp = deep.logits(alone.hidden).log_softmax(-1).topk(features.LABELS)
    answer = slice(begin + 3, end - 1)  # the tokens that response tokens follow
    assert torch.equal(found.label_ids[answer].long(), logp.indices[3:-1])
    assert torch.allclose(found.label_logp[answer].float(), logp.values[3:-1], atol=1e-2)
    assert bool((found.label_logp[begin : begin + 3] == -torch.inf).all())


def test_features_continue_where_they_were_stopped(
    deep: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = talks()
    deep.capture((2, 4, 5))
    monkeypatch.setattr(features, "PASS_TOKENS", 40)
    monkeypatch.setattr(features, "PASSES_PER_SHARD", 2)
    whole = features.compute(deep, made, len(made), tmp_path / "whole", quiet)
    features.compute(deep, made, 11, tmp_path / "parts", quiet)
    lines: list[str] = []
    parts = features.compute(deep, made, len(made), tmp_path / "parts", lines.append)
    assert "pass 2 of" not in lines[0]
    assert torch.equal(parts.states, whole.states)
    assert torch.equal(parts.label_ids, whole.label_ids)


def test_features_of_other_data_are_not_mixed(deep: Target, tmp_path: Path) -> None:
    deep.capture((2, 4, 5))
    features.compute(deep, talks(), 5, tmp_path, quiet)
    with pytest.raises(ValueError, match="other data"):
        features.compute(deep, talks(seed=1), 5, tmp_path, quiet)


def test_features_of_several_files_are_addressed_as_one(deep: Target, tmp_path: Path) -> None:
    deep.capture((2, 4, 5))
    both = [talks(), talks(seed=1)]
    parts = [
        features.compute(deep, made, 9, tmp_path / str(n), quiet) for n, made in enumerate(both)
    ]
    used = [data.first(made, 9) for made in both]
    joined = data.join(used)
    found = features.FeatureFiles(parts, [len(part.tokens) for part in used])
    places = data.rows(joined, [10, 3]).places
    begin, end = int(both[1].offsets[1]), int(both[1].offsets[2])
    assert torch.equal(found.at(places).states[: end - begin], parts[1].states[begin:end])
    assert torch.equal(joined.tokens[places[: end - begin]], both[1].tokens[begin:end])


def test_two_answers_to_one_question_are_on_the_same_side() -> None:
    once = talks(200)
    twice = data.join([once, once])
    train_on, held = data.split(twice, seed=0)
    assert {i + 200 for i in held if i < 200} == {i for i in held if i >= 200}
    assert len(held) >= data.HELD_OUT_LEAST
    assert sorted(train_on + held) == list(range(400))


def test_split_depends_on_the_seed_only() -> None:
    made = talks(300)
    assert data.split(made, 0) == data.split(made, 0)
    assert data.split(made, 0)[1] != data.split(made, 1)[1]


def test_answers_may_be_marked_token_by_token(tmp_path: Path) -> None:
    made = talks(3)
    marks = torch.zeros(len(made.tokens), dtype=torch.bool)
    marks[torch.tensor([2, 3, int(made.offsets[1]) + 5])] = True
    file = write(tmp_path / "talks.npz", made, answers=marks.numpy().astype(np.uint8))
    found = data.read(file, VOCABULARY)
    assert torch.equal(found.answers, marks)
    row = data.rows(found, [1, 0])
    assert torch.equal(row.places[row.is_response], torch.tensor([int(made.offsets[1]) + 5, 2, 3]))
    assert found.digest() != made.digest()
    joined = data.join([made, data.first(found, 2)])
    both = data.rows(joined, range(5)).is_response
    assert torch.equal(
        both,
        torch.cat([data.rows(made, range(3)).is_response, found.answers[: int(made.offsets[2])]]),
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"offsets": np.array([0, 5])}, "2 offsets do not fit 30 conversations"),
        ({"tokens": np.array([1.5])}, "whole numbers"),
        ({"response_start": np.full(30, 99)}, "outside its conversation"),
        ({"tokens": np.array([[1]])}, "list of whole numbers"),
        ({"answers": np.array([1, 0])}, "2 marks of answers do not fit"),
    ],
)
def test_bad_arrays_are_refused_by_name(tmp_path: Path, changes: dict, words: str) -> None:
    file = write(tmp_path / "bad.npz", talks(), **changes)
    with pytest.raises(ValueError, match=words):
        data.read(file, VOCABULARY)


def test_token_outside_the_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not among the target's 8"):
        data.read(write(tmp_path / "talks.npz", talks()), 8)


def test_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    objects = np.array([print], dtype=object)
    with pytest.raises(ValueError, match="cannot be read"):
        data.read(write(tmp_path / "bad.npz", talks(), tokens=objects), VOCABULARY)


def test_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("tokens")
    with pytest.raises(ValueError, match="cannot be read"):
        data.read(tmp_path / "bad.npz", VOCABULARY)
