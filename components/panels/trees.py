"""The draft trees of EAGLE and EAGLEY at the selected token, side by side."""

from collections import Counter
from functools import partial

import gradio as gr
import pandas as pd

from components import theme
from components.explain import facts
from components.facts import Facts, fact_list
from components.figures.draft_tree import draft_tree, extent
from components.imagined import Imagined, imagined
from components.labels import visible
from components.legend import tree_legend
from components.marks import DRAWN, in_trees
from components.offers import RECORDED, what_if_rules
from components.panels.panel import Panel, Source
from components.selection import (
    ROOT,
    TREE_METHODS,
    Comparison,
    Place,
    Selection,
    at_node,
    place,
)
from components.tables import TREE_COLUMNS, tree_table
from components.viewer import Viewer
from eagley_core.config import Method
from eagley_core.rule import Rule
from eagley_core.trace import Step, Trace


def build(comparison: Comparison | None, selection: Selection) -> Panel:
    """Two trees, each with the facts of its selected node and a table."""
    keys = gr.HTML(_legend(comparison))
    rule = gr.Dropdown(
        what_if_rules(),
        value=RECORDED,
        label="What if the rule had been",
        allow_custom_value=True,
        elem_id="what-if",
    )
    with gr.Row(elem_classes="trees"):
        sides = [_side(method, comparison, selection) for method in TREE_METHODS]
    outputs = tuple(part for side in sides for part in side)
    sources = tuple(
        Source(side[1], partial(picked, method))
        for method, side in zip(TREE_METHODS, sides, strict=True)
    )
    return Panel((*outputs, keys, rule), opened, outputs, moved, sources, rule)


def _legend(comparison: Comparison | None) -> str:
    return tree_legend(in_trees(comparison.traces if comparison else ()))


def opened(comparison: Comparison, selection: Selection) -> tuple:
    """Both trees, the key to what is in them, and the rule that judges them."""
    return (*moved(comparison, selection), _legend(comparison), RECORDED)


def _side(method: Method, comparison: Comparison | None, selection: Selection) -> tuple:
    initial = _shown(comparison, selection, method) if comparison else (None,) * 4
    head, figure, card, table = initial
    with gr.Column(min_width=320, elem_classes="tree", elem_id=f"tree-{method}"):
        return (
            Facts(head, elem_classes="tree-head"),
            Viewer(figure),
            Facts(card, elem_classes="card"),
            _table(table),
        )


def _table(frame: pd.DataFrame | None) -> gr.Dataframe:
    with gr.Accordion("Nodes as a table", open=False):
        return gr.Dataframe(frame, headers=TREE_COLUMNS, show_label=False, max_height=340)


def moved(comparison: Comparison, selection: Selection) -> tuple:
    """Heading, tree, node facts and table of both lanes."""
    return tuple(part for method in TREE_METHODS for part in _shown(comparison, selection, method))


def _shown(comparison: Comparison, selection: Selection, method: Method) -> tuple:
    label = theme.LANE_LABELS[method]
    trace = comparison.lanes.get(method)
    here = place(trace, selection) if trace else None
    if here is None:
        note = "This lane was not run." if trace is None else "The lane ended before this token."
        nothing = pd.DataFrame(columns=TREE_COLUMNS)
        return fact_list(label, (), note), None, fact_list("", ()), nothing
    room = extent(t for t in comparison.traces if t.config.method in TREE_METHODS)
    trace, here, told = judged(trace, here, selection.rule)
    return (
        heading(trace, here, told),
        draft_tree(trace, here.step, room),
        fact_list(node_title(trace, here), facts(trace, here)),
        tree_table(trace, here.step),
    )


def judged(trace: Trace, here: Place, rule: Rule | None) -> Imagined:
    """The place as the asked rule judges it, and what there is to say of that."""
    if rule is None or here.step.kind == "prefill":
        return Imagined(trace, here, "")
    try:
        trace, here, told = imagined(trace, here, rule)
    except ValueError as error:
        return Imagined(trace, here, f"As recorded: {error}.")
    return Imagined(trace, here, f"Under {rule}. {told}")


def heading(trace: Trace, here: Place, told: str = "") -> dict:
    """A step in one line, after what was said of the rule."""
    step = here.step
    if step.kind == "prefill":
        note = "The prefill: the prompt's pass gives the first token; nothing was drafted."
        return fact_list(f"{trace.label}, step 0", (), note)
    count = len(step.nodes)
    nodes = f"{count} node" if count == 1 else f"{count} nodes"
    note = f"{nodes} in {step.rows} rows, {len(step.accepted)} accepted{reused(step)}."
    if step.estimate and not told:
        note += f" The cost model expected {step.estimate.tokens:.1f} tokens, "
        note += f"it gave {len(step.accepted) + 1}."
    return fact_list(f"{trace.label}, step {step.index}", (), f"{told} {note}".strip())


def reused(step: Step) -> str:
    """How many nodes each source beside the draft gave, and how many of them were accepted."""
    given = Counter(node.source for node in step.nodes)
    won = Counter(step.nodes[node].source for node in step.accepted)
    return "".join(
        f"; {given[source]} {mark.short}, {won[source]} of them accepted"
        for source, mark in DRAWN.items()
        if source != "draft" and given[source]
    )


def node_title(trace: Trace, here: Place) -> str:
    step, index = here
    if index == ROOT:
        return f"Root “{visible(trace.token_texts.get(step.root_id, ''))}”"
    if index >= len(step.nodes):
        return f"Bonus “{visible(trace.token_texts.get(step.bonus_id, ''))}”"
    return f"Node “{visible(trace.token_texts.get(step.nodes[index].token_id, ''))}”"


def picked(method: Method, comparison: Comparison, selection: Selection, data: dict) -> Selection:
    """A node was clicked in the tree that this lane shows."""
    trace = comparison.lanes.get(method)
    if trace is None or data["custom"] is None:
        return selection
    return at_node(selection, trace, int(data["custom"]))
