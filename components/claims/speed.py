"""The seed on speed: what reuse adds, and its formulas."""

from components.ablation_table import ablation_table
from components.claims.commands import TREES, ablation_command, bench_command
from components.claims.kinds import Claim, Table, found, number, read_interval
from components.claims.results import Result, Results, Row, pairs, ratios, speed
from components.claims.rulings import UNKNOWN, Ruling, every, within
from components.figures.ablation import ablation
from components.figures.claim_speed import predicted_figure, trees_figure
from components.words import ENGLISH, Words
from eagley_core.seed_fit import beta_of, measured
from eagley_core.statistics import Interval, median_interval
from eagley_core.theory import seed_standard

GAIN = (1.1, 1.3)  # the seed's 10 to 30 %
BETA = (0.1, 0.3)


def gain(results: Results, say: Words = ENGLISH) -> Claim:
    """§3.3: the whole of it, and the ablation."""
    bench, ladder = results.bench, results.ablation
    over = _over(bench, "eagley_vs_eagle")
    findings = found(say("EAGLEY over EAGLE, same cost model"), number(over, say), bench)
    for control in ("more-draft", "ngram"):
        both = pairs(bench.data, "eagley", control) if bench else []
        ratio = median_interval(ratios(both, speed))
        findings += found(
            say("EAGLEY over the control {control}", control=control), number(ratio, say), bench
        )
    for rung in ("all", "more-draft", "ngram"):
        own = _over(ladder, f"{rung}_vs_eagle")
        findings += found(
            say("Ablation: {rung} over EAGLE at its best tree", rung=rung), number(own, say), ladder
        )
    return Claim(
        key="gain",
        section="§3.3",
        title=say("EAGLEY is 10 % to 30 % faster than EAGLE"),
        seed=say("“In real tests EAGLEY usually gains 10 % to 30 % of additional speed-up.”"),
        findings=findings,
        ruling=within(over, *GAIN, say),
        command=f"{bench_command(bench)}; {ablation_command(ladder)}",
        table=_ladder_table(ladder, say) if ladder else None,
        figure=ablation(ladder.data, say=say) if ladder else None,
        note=say(
            "Both lanes choose their trees by the same cost model and the same measured times, so "
            "that the difference is reuse alone. The figure shows each channel and two controls."
        ),
    )


def _ladder_table(ladder: Result, say: Words) -> Table:
    frame = ablation_table(ladder.data, say).astype(object)
    cells = frame.where(frame.notna(), "–")
    rows = tuple(tuple(map(str, row)) for row in cells.itertuples(index=False))
    return Table(say("Every rung of the ablation"), tuple(frame.columns), rows, (ladder.name,))


def _over(result: Result | None, pair: str) -> Interval:
    return read_interval(result.data["speedup"].get(pair)) if result else UNKNOWN


def formula(results: Results, say: Words = ENGLISH) -> Claim:
    """§3.3: S = alpha k T_single / (T_draft + T_verify), against what was measured."""
    bench = results.bench
    points = measured(bench.data) if bench else []
    as_written = median_interval([seed_standard(p.step).drafted / p.eagle for p in points])
    bonus = median_interval([seed_standard(p.step).with_bonus / p.eagle for p in points])
    near = [None if own.low is None else _is_near(own) for own in (as_written, bonus)]
    return Claim(
        key="formula",
        section="§3.3",
        title=say("S = αk · T_single / (T_draft + T_verify)"),
        seed=say("The standard speed-up, αk being the draft tokens accepted in a step."),
        findings=(
            *found(say("Predicted over measured, with αk"), number(as_written, say), bench),
            *found(say("Predicted over measured, with αk + 1"), number(bonus, say), bench),
        ),
        ruling=Ruling(
            every(near),
            say(
                "It holds where predicted over measured lies within 0.9 and 1.1 as written, in "
                "part where only the formula with the bonus token does."
            ),
        ),
        command=bench_command(bench),
        figure=predicted_figure(points, say) if points else None,
        note=say(
            "αk counts accepted draft tokens; a step also commits the target's own next token, "
            "which makes αk + 1. What is left is the time outside drafting and verifying."
        ),
    )


def _is_near(own: Interval) -> bool:
    return own.low >= 0.9 and own.high <= 1.1


def beta(results: Results, say: Words = ENGLISH) -> Claim:
    """§3.3: T_verify (1 - beta (1 - alpha)), beta solved from the measurement."""
    source, solved = _beta(results)
    own = solved.get("drafted", UNKNOWN)
    labels = {"drafted": say("β with αk"), "with_bonus": say("β with αk + 1")}
    findings = [
        one
        for name, label in labels.items()
        for one in found(label, number(solved.get(name, UNKNOWN), say, 3), source)
    ]
    return Claim(
        key="beta",
        section="§3.3",
        title=say("Reuse shortens verification by β, 0.1 to 0.3"),
        seed=say("“T_verify(1 − β(1 − α)), β usually 0.1 to 0.3.”"),
        findings=tuple(findings),
        ruling=within(solved.get("with_bonus", own), *BETA, say),
        command=TREES if results.trees else bench_command(results.bench),
        note=say(
            "Solved by least squares on the seconds of a step; it decides with αk + 1, since αk "
            "leaves out a token of every step. Reuse of guesses saves drafting and adds accepted "
            "tokens; it does not shorten a pass, so β may be zero or less."
        ),
    )


def _beta(results: Results) -> tuple[Result | None, dict[str, Interval]]:
    """From three tree sizes where there are such, else from the bench."""
    if results.trees and "beta" in results.trees.data:
        fitted = results.trees.data["beta"]
        return results.trees, {name: read_interval(own) for name, own in fitted.items()}
    if results.bench is None:
        return None, {}
    points = measured(results.bench.data)
    return results.bench, {name: beta_of(points, name) for name in ("drafted", "with_bonus")}


def deeper(results: Results, say: Words = ENGLISH) -> Claim:
    """§2.3: deeper chains, more candidates, longer accepted paths."""
    bench, trees = results.bench, results.trees
    both = pairs(bench.data, "eagley", "eagle") if bench else []
    labels = (
        (say("Nodes verified per pass, EAGLEY over EAGLE"), _nodes),
        (say("Draft levels per step, EAGLEY over EAGLE"), _depth),
        (say("Accepted length, EAGLEY over EAGLE"), lambda row: row["mean_accepted_length"]),
    )
    own = {label: median_interval(ratios(both, figure)) for label, figure in labels}
    findings = [
        one for label, ratio in own.items() for one in found(label, number(ratio, say), bench)
    ]
    tests = [None if ratio.low is None else ratio.low > 1 for ratio in own.values()]
    by_tree = trees.data.get("by_tree", []) if trees else []
    return Claim(
        key="deeper",
        section="§2.3",
        title=say("Reuse allows deeper chains and more candidates"),
        seed=say("“Reuse … allows deeper draft chains”; “more candidates can be generated”."),
        findings=tuple(findings),
        ruling=Ruling(
            every(tests),
            say(
                "It holds where nodes, levels and accepted length all lie above EAGLE's with their "
                "whole intervals, in part where some do."
            ),
        ),
        command=f"{bench_command(bench)}; {TREES}",
        table=_trees_table(trees, by_tree, say) if by_tree else tuned(results.ablation, say),
        figure=trees_figure(by_tree, say) if by_tree else None,
    )


def _nodes(row: Row) -> float | None:
    passes = row["target_passes"]
    return (row["rows_verified"] - passes) / passes if passes else None


def _depth(row: Row) -> float | None:
    return row["draft_passes"] / row["target_passes"] if row["target_passes"] else None


def tuned(ladder: Result | None, say: Words) -> Table | None:
    """The trees that EAGLE was tuned over: nodes, depth and children at most."""
    if ladder is None:
        return None
    tuning = ladder.data["tuning"]
    shapes = {tree: tree.partition(":")[2].split(",") for tree in tuning["tokens_per_second"]}
    rows = [(*shapes[tree], f"{s:.1f}") for tree, s in tuning["tokens_per_second"].items()]
    columns = (say("nodes at most"), say("levels at most"), say("children at most"), "tokens/s")
    title = say("EAGLE by size and depth of its tree")
    return Table(title, columns, tuple(rows), (ladder.name,))


def _trees_table(trees: Result, by_tree: list[Row], say: Words) -> Table:
    columns = (
        say("tree"),
        say("EAGLE over vanilla"),
        say("EAGLEY over vanilla"),
        say("the seed's, αk"),
        say("the seed's, αk + 1"),
        "Leviathan",
        "Sequoia",
    )
    rows = [
        (
            row["tree"],
            *(f"{row['measured'][lane]:.2f}" for lane in ("eagle", "eagley")),
            *(f"{row['seed'][name]:.2f}" for name in ("drafted", "with_bonus")),
            f"{row['leviathan']:.2f}",
            f"{row['sequoia']:.2f}",
        )
        for row in by_tree
    ]
    return Table(say("By tree size: measured and predicted"), columns, tuple(rows), (trees.name,))
