"""The claims page: every figure traces to a result file that is named beside it."""

import json
import re
from pathlib import Path

import pytest

from components.claims.card import cards
from components.claims.results import NAMES, RESULTS, Result, Results, read_results
from components.claims.rulings import VERDICTS
from components.claims.statements import CLAIMS, claims, tally
from components.claims.tables import RANGES, quality
from components.words import words

SHIPPED = read_results()
FOUND = {claim.key: claim for claim in claims(SHIPPED)}
KEYS = [claim.__name__ for claim in CLAIMS]


def only(names: set[str]) -> Results:
    """The shipped results, but for files of other names."""

    def kept(own):
        if isinstance(own, Result):
            return own if own.name in names else None
        return own and tuple(one for one in own if one.name in names)

    return Results(**{kind: kept(own) for kind, own in SHIPPED._asdict().items()})


def test_every_claim_has_a_key_of_its_own():
    assert list(FOUND) == KEYS


def test_without_results_nothing_is_measured_and_nothing_is_said():
    for claim in claims(Results()):
        assert claim.findings == ()
        assert claim.ruling.verdict == "unmeasured"
        assert claim.figure is None
        assert claim.table is None or claim.table.sources == ()
        assert claim.ruling.words and claim.seed and claim.command


@pytest.mark.parametrize("key", KEYS)
def test_a_claim_depends_on_the_files_that_it_names_and_on_no_other(key):
    claim = FOUND[key]
    build = CLAIMS[KEYS.index(key)]
    assert build(only(set(claim.sources))) == claim
    for name in claim.sources:
        rest = {own.name for own in SHIPPED.named()} - {name}
        without = build(only(rest))
        assert without != claim
        assert name not in without.sources


@pytest.mark.parametrize("key", KEYS)
def test_every_figure_names_a_file_that_is_shipped(key):
    claim = FOUND[key]
    assert all((RESULTS / name).is_file() for name in claim.sources)
    assert all(finding.value for finding in claim.findings)
    measured = claim.ruling.verdict != "unmeasured"
    assert bool(claim.sources) == measured


SEED = {  # figures that a claim's own words quote: the seed's, or of the rule beside them
    "rules": {"0.8"},
    "gain": {"10", "30"},
    "beta": {"0.1", "0.3"},
    "quality": {"18", "22"},
    "deeper": set(),
}


@pytest.mark.parametrize("key", KEYS)
def test_titles_and_notes_quote_no_measured_figure(key):
    """Measured figures stand in findings and tables, where a file is named beside them."""
    claim = FOUND[key]
    told = re.sub(r"αk \+ 1|GSM8K|temperature [01]|ε of 0|αk \+ 1", "", claim.title + claim.note)
    assert set(re.findall(r"\d+(?:\.\d+)?", told)) <= SEED.get(key, set())


def path(data: dict, *keys):
    for key in keys:
        data = data[key]
    return data


@pytest.mark.parametrize(
    ("key", "kind", "where", "form"),
    [
        ("gain", "bench", ("speedup", "eagley_vs_eagle", "median"), "{:.2f}"),
        ("quality", "bench", ("methods", "eagley", "identical_to_vanilla"), "{}"),
        ("lossless", "bench", ("methods", "eagle", "identical_to_vanilla"), "{}"),
        ("discarded", "ablation", ("reuse", "all", "returned", "only", "hits"), "{}"),
        ("discarded", "ablation", ("reuse", "all", "rejected_share", "tested"), "{}"),
        ("discarded", "ablation", ("reuse", "all", "oracle", "added_per_step"), "{:.2f}"),
        ("informative", "ablation", ("reuse", "all", "brought", "rejected", "hits"), "{}"),
        ("informative", "ablation", ("reuse", "all", "brought", "draft", "tested"), "{}"),
        ("drafts", "bench", ("methods", "eagle", "draft_size_ratio"), "{:.3f}"),
        ("recursion", "kv", ("ancestor", "values", 1), "{:.2f}"),
        ("states", "kv", ("settings", "eagle", "draft_similarity", 0), "{:.2f}"),
        ("delta", "kv", ("settings", "draft-kv:new", "deltas", 0, "new"), "{:.2f}"),
    ],
)
def test_figures_are_those_of_the_file(key, kind, where, form):
    result = getattr(SHIPPED, kind)
    wanted = form.format(path(result.data, *where))
    values = [f.value for f in FOUND[key].findings if f.source == result.name]
    assert any(wanted in re.findall(r"\d+(?:\.\d+)?", value) for value in values)


def test_every_shipped_result_is_quoted():
    quoted = {name for claim in FOUND.values() for name in claim.sources}
    assert {own.name for own in SHIPPED.named()} <= quoted


def test_the_seeds_numbers_are_called_the_seeds():
    for key in ("quality", "lengths"):
        table = FOUND[key].table
        seeds = [i for i, name in enumerate(table.columns) if "the seed's" in name]
        others = [i for i in range(len(table.columns)) if i not in seeds]
        assert seeds
        for row in table.rows:
            told = " ".join(row[i] for i in others)
            assert not re.search(r"\d+×|\+\d\d%|\b\d\d\.\d\b(?! %)", told)
    assert RANGES["short"] == (1.3, 1.5)


def test_results_hold_no_path_of_a_machine():
    for file in RESULTS.iterdir():
        assert not re.search(r'"(/|[A-Z]:\\\\)[\w/]+', file.read_text("utf-8")), file.name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cards_are_json_with_a_verdict_in_words(language):
    say = words(language)
    told = json.loads(json.dumps(cards(SHIPPED, say)))
    for claim, card in zip(claims(SHIPPED, say), told["claims"], strict=True):
        assert card["badge"] == say(VERDICTS[claim.ruling.verdict])
    assert SHIPPED.bench.data["environment"]["processor"] in told["notes"][1]
    assert len(cards(Results(), say)["notes"]) == 1
    assert tally(claims(SHIPPED, say), say).count("·") == len(VERDICTS) - 1


def test_the_last_of_several_benches_is_read(tmp_path: Path):
    for n in (65, 90):
        (tmp_path / f"spec-bench-{n}.json").write_text(json.dumps({"n": n}))
    (tmp_path / "drafts-int8-20.json").write_text("{}")
    (tmp_path / "own.json").write_text('{"methods": {}, "rows": []}')
    (tmp_path / "costs.json").write_text("{}")
    found = read_results(tmp_path)
    assert found.bench == Result("spec-bench-90.json", {"n": 90})
    assert [own.name for own in found.drafts] == ["drafts-int8-20.json"]
    assert [own.name for own in found.others] == ["own.json"]
    assert found.rules is None
    assert set(NAMES) < set(Results._fields)


@pytest.mark.parametrize(("low", "verdict"), [(1.17, "part"), (1.18, "holds")])
def test_more_throughput_holds_with_its_whole_interval_only(low, verdict):
    speedup = {"eagley_vs_eagle": {"median": 1.2, "low": low, "high": 1.3}}
    bench = Result("spec-bench-1.json", SHIPPED.bench.data | {"speedup": speedup})
    assert quality(Results(bench=bench)).ruling.verdict == verdict
