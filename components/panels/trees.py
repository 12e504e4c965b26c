"""Two draft trees side by side, and what is known of the selected node. All move by themselves."""

import gradio as gr

from components.elements.card import Card
from components.elements.table import Table
from components.elements.tree import Tree
from components.elements.what_if import WhatIf
from components.legend import tree_legend
from components.marks import in_trees
from components.panels.panel import Panel
from components.selection import TREE_METHODS, Comparison
from components.words import ENGLISH, Words


def build(comparison: Comparison | None, say: Words = ENGLISH) -> Panel:
    """Trees with the question of another rule above them and their nodes as tables below."""
    with gr.Row(elem_classes="tree-bar"):
        keys = gr.HTML(_legend(comparison, say))
        WhatIf(elem_id="what-if", say=say)
    with gr.Row(elem_classes="trees"):
        for side, method in enumerate(TREE_METHODS):
            with gr.Column(min_width=320, elem_classes="tree", elem_id=f"tree-{method}"):
                Tree(side=side, say=say)
                Table(side=side, label=say("Nodes as a table"), say=say)
        with gr.Column(min_width=280, elem_classes="node", elem_id="node"):
            Card(say=say)
    return Panel((keys,), lambda found: (_legend(found, say),))


def _legend(comparison: Comparison | None, say: Words) -> str:
    return tree_legend(in_trees(comparison.traces if comparison else ()), say)
