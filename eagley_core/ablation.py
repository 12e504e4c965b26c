"""The ablation ladder: what every part of EAGLEY brings over EAGLE with the same cost model.

The tree is tuned for EAGLE on one half of the prompts; every rung is reported on the other half
with that tree, so that what EAGLEY gains comes from reuse alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from eagley_core.bench import Done, Plan, bench
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.eagle_tree import held_by_eagle
from eagley_core.lab import Lab, Prompt
from eagley_core.prompt_file import PromptLine
from eagley_core.reuse_figures import ReuseFigures

EXACT = ("recycled", "suffix", "draft-state")
# Each channel alone over EAGLE with the cost model, then all, then the controls.
CHANNELS: dict[str, tuple[str, ...]] = {
    "recycled:accepted": ("recycled:accepted",),
    "recycled:rejected": ("recycled:rejected",),
    "recycled": ("recycled",),
    "suffix": ("suffix",),
    "draft-state": ("draft-state",),
    "all": EXACT,
    "more-draft": (*EXACT, "more-draft"),  # as many nodes as these would have had
    "ngram": ("ngram",),
}
RUNGS = ("vanilla", "eagle-fixed", "eagle", *CHANNELS)
SWEEP = ("auto:12,4,4", "auto:24,3,4", "auto:24,5,8", "auto:40,7,6")


@dataclass(frozen=True)
class Ladder:
    """What to run. base: the settings that all rungs share.

    sweep: the trees that EAGLE is tuned over, all of kind auto; stores: `cold`, `warm` or both;
    replay: see whether EAGLE's own tree held what the store brought.
    """

    base: DecodeConfig
    rungs: Sequence[str] = RUNGS
    sweep: Sequence[TreeShape] = tuple(map(TreeShape.parse, SWEEP))
    stores: Sequence[str] = ("cold", "warm")
    repeats: int = 1
    replay: bool = False

    def __post_init__(self) -> None:
        for name in self.rungs:
            if name not in RUNGS:
                raise ValueError(f"rungs must be among {', '.join(RUNGS)}, got {name!r}")
        if not {"vanilla", "eagle"} <= set(self.rungs):
            raise ValueError("rungs must have vanilla and eagle: the others are compared with them")
        if not self.sweep or any(tree.kind != "auto" for tree in self.sweep):
            raise ValueError("sweep must be trees of kind auto, which EAGLEY grows too")

    def lanes(self, tree: TreeShape) -> dict[str, DecodeConfig]:
        """Every rung's settings, with that tree wherever the cost model grows it."""
        made = {
            "vanilla": replace(self.base, method="vanilla", tree=TreeShape(), reuse=()),
            "eagle-fixed": replace(self.base, method="eagle", tree=TreeShape("fixed"), reuse=()),
            "eagle": replace(self.base, method="eagle", tree=tree, reuse=()),
        }
        for name, channels in CHANNELS.items():
            made[name] = replace(self.base, method="eagley", tree=tree, reuse=channels)
        return {name: made[name] for name in RUNGS if name in self.rungs}


Report = Callable[[str, int], Done]
"""From what is run next, and of how many turns, to who is told after every one of them."""


def ablate(lab: Lab, lines: Sequence[PromptLine], ladder: Ladder, report: Report) -> dict[str, Any]:
    """Tune on every second prompt, report on the others. In the form of `bench`.

    The first of `stores` is the result itself; the other is under its own name. Every rung is
    tried on a few tokens before any work is done: one that the engine lacks raises ValueError.
    """
    if len(lines) < 2:
        raise ValueError("an ablation needs two prompts at least: one to tune, one to report")
    for config in ladder.lanes(ladder.sweep[0]).values():
        lab.ran(Prompt(lines[0].text), replace(config, max_new_tokens=4))
    tuning = _tuned(lab, lines[1::2], ladder, report)
    lanes = ladder.lanes(TreeShape.parse(tuning["chosen"]))
    results = {}
    held = partial(held_by_eagle, lab.engine) if ladder.replay else None
    for store in ladder.stores:
        figures, told = ReuseFigures(held), report(store, len(lines[::2]) * ladder.repeats)

        def done(turn, figures=figures, told=told) -> None:
            figures.add(turn.traces)
            told(turn)

        plan = Plan(lanes, ladder.repeats, warm=store == "warm")
        results[store] = bench(lab, lines[::2], plan, done) | {"reuse": figures.result()}
    first, *others = ladder.stores
    settings = {name: _settings(config) for name, config in lanes.items()}
    return (
        {"store": first, "tuning": tuning, "rungs": settings}
        | results[first]
        | {store: results[store] for store in others}
    )


def _tuned(lab: Lab, lines: Sequence[PromptLine], ladder: Ladder, report: Report) -> dict[str, Any]:
    """EAGLE's speed with every tree of the sweep, and the fastest."""
    eagle = replace(ladder.base, method="eagle", reuse=())
    lanes = {str(tree): replace(eagle, tree=tree) for tree in ladder.sweep}
    told = report("tuning", len(lines) * ladder.repeats)
    found = bench(lab, lines, Plan(lanes, ladder.repeats), told)["methods"]
    speeds = {name: found[name]["decode_tokens_per_second"] for name in lanes}
    chosen = max(lanes, key=lambda name: speeds[name] or 0.0)
    prompts = [line.question_id for line in lines]
    return {"chosen": chosen, "tokens_per_second": speeds, "prompts": prompts}


def _settings(config: DecodeConfig) -> dict[str, Any]:
    return {"method": config.method, "tree": str(config.tree), "reuse": list(config.reuse)}
