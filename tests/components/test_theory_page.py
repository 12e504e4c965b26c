"""The theory page: its script and Python evaluate the same formulas; trees by brute force."""

import json
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from components.claims.results import Result, read_results
from components.figures.theory import MOST, Setting, speed_curves, speed_figure, token_curves
from components.theory import measured_points, measured_setting, sliders, theory_value
from eagley_core.theory import Prices, best_trees, chains, seed_chain, shape_speedup

ROOT = Path(__file__).resolve().parents[2]
ALPHAS = (0.02, 0.3, 0.5, 0.62, 0.9, 0.98)
GRID = [Setting(*at) for at in product(ALPHAS, (0, 0.2), (0, 0.03), (-0.3, 0.25))]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_best_tree_by_brute_force(alpha):
    """Every node of a tree three deep and three wide, by its chance."""
    chances = sorted(
        (
            alpha**depth * (1 - alpha) ** sum(ranks)
            for depth in (1, 2, 3)
            for ranks in product(range(3), repeat=depth)
        ),
        reverse=True,
    )
    for nodes, shape in enumerate(best_trees(alpha, 3)):
        assert shape.tokens == pytest.approx(1 + sum(chances[:nodes]))


def test_more_nodes_bring_more_and_ever_less():
    for alpha in ALPHAS:
        tokens = [shape.tokens for shape in best_trees(alpha, MOST)]
        gains = [b - a for a, b in zip(tokens, tokens[1:], strict=False)]
        assert all(gain > 0 for gain in gains)
        assert all(a >= b - 1e-12 for a, b in zip(gains, gains[1:], strict=False))
        assert len(tokens) == MOST + 1


def test_no_tree_is_worse_than_a_chain_of_as_many_nodes():
    for alpha in ALPHAS:
        pairs = zip(best_trees(alpha, MOST), chains(alpha, MOST), strict=True)
        assert all(tree.tokens >= chain.tokens - 1e-12 for tree, chain in pairs)


def test_a_sure_draft_makes_a_chain():
    assert best_trees(0.98, 8)[8].levels == 8
    assert best_trees(0.02, 8)[8].levels == 1


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0])
def test_alpha_is_a_chance(alpha):
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        best_trees(alpha, 3)


def test_speed_ups_by_hand():
    prices = Prices(draft=0.1, row=0.05)
    assert shape_speedup(chains(0.5, 2)[2], 2, prices) == pytest.approx(1.75 / 1.3)
    assert seed_chain(0.5, 2, prices) == pytest.approx(1 / (0.2 + 1.1))
    assert seed_chain(0.5, 2, prices, 0.2) == pytest.approx(1 / (0.2 + 1.1 * 0.9))


SCRIPT = """
globalThis.eagley = {};
{ %s }
const { formulas } = eagley;
const counts = Array.from({ length: MOST }, (_, i) => i + 1);
console.log(JSON.stringify(GRID.map(([alpha, draft, row, beta]) => {
  const prices = { draft, row };
  const [trees, chains] = [formulas.bestTrees(alpha, MOST), formulas.chains(alpha, MOST)];
  const speed = (shapes) => counts.map((n) => formulas.shapeSpeedup(shapes[n], n, prices));
  const seed = (beta) => counts.map((n) => formulas.seedChain(alpha, n, prices, beta));
  const tokens = (shapes) => counts.map((n) => shapes[n].tokens);
  return [tokens(trees), tokens(chains), speed(trees), speed(chains), seed(0), seed(beta)];
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_evaluates_the_same_formulas():
    code = SCRIPT % (ROOT / "assets/formulas.js").read_text("utf-8")
    constants = f"const MOST = {MOST}; const GRID = {json.dumps([list(at) for at in GRID])};"
    ran = subprocess.run(["node", "-"], input=constants + code, capture_output=True, text=True)
    assert ran.stderr == ""
    for at, found in zip(GRID, json.loads(ran.stdout), strict=True):
        tokens, speeds = token_curves(at), speed_curves(at)
        mine = [tokens["tree"], tokens["chain"], *speeds.values()]
        for ours, theirs in zip(mine, found, strict=True):
            assert theirs == pytest.approx(ours, rel=1e-9)


def test_every_curve_that_the_script_redraws_has_a_name():
    names = {t.meta["curve"] for t in speed_figure(GRID[0], []).data if t.meta}
    assert names == set(speed_curves(GRID[0]))


def test_sliders_start_where_the_result_stands():
    bench = read_results().bench
    value = theory_value(bench)
    for slider in sliders():
        assert slider.low <= value["start"][slider.name] <= slider.high
    assert value["start"]["alpha"] == measured_setting(bench).alpha
    assert len(measured_points(bench)) == 2 * len(bench.data["by_category"])


def row(lane: str, speed: float, **more) -> dict:
    base = {"lane": lane, "category": "a", "decode_tokens_per_second": speed}
    counts = {"target_passes": 10, "rows_verified": 50, "verify_seconds": 0.6}
    rates = {"first_choice_acceptance": 0.4, "mean_accepted_length": 2.0}
    return base | counts | rates | more


def test_what_is_measured_by_hand():
    """A pass of 5 rows takes 60 ms, one of one row 50 ms: a fifth more for four rows."""
    lanes = [row("vanilla", 20.0), row("eagle", 30.0), row("eagley", 31.0)]
    speedup = {"eagle_vs_vanilla": {"median": 1.5}, "eagley_vs_vanilla": {"median": None}}
    data = {
        "vanilla_used": "invariant",
        "rows": lanes,
        "methods": {"eagle": {"draft_latency_ratio": 0.061}},
        "by_category": {"a": {"speedup": speedup}},
    }
    found = measured_setting(Result("made.json", data))
    assert (found.alpha, found.draft, found.row) == (0.4, 0.06, 0.05)
    (point,) = measured_points(Result("made.json", data))
    assert point == ("eagle", "a", 4.0, 2.0, 1.5)
    assert measured_points(None) == []
