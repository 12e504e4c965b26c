"""Where the nodes of a draft tree are drawn."""

from typing import NamedTuple

from components.selection import ROOT, parent
from eagley_core.trace import Step


class Spot(NamedTuple):
    x: float  # depth
    y: float  # row, downwards


def tidy(step: Step) -> dict[int, Spot]:
    """A spot for the root, each node and the bonus (index len(nodes)).

    A first child continues its parent's row and the others hang below it, so that every row reads
    as text, and the accepted path is the top row.
    """
    spots: dict[int, Spot] = {}
    children = ordered_children(step)
    row = -1
    pending = [(ROOT, 0)]
    while pending:
        node, depth = pending.pop()
        is_first = node == ROOT or children[parent(step, node)][0] == node
        row += not is_first or node == ROOT
        spots[node] = Spot(depth, row)
        pending += [(child, depth + 1) for child in reversed(children.get(node, []))]
    return spots


def ordered_children(step: Step) -> dict[int, list[int]]:
    """Children by parent: what became output first, then the draft's favourites."""
    children: dict[int, list[int]] = {}
    for index, node in enumerate(step.nodes):
        children.setdefault(node.parent, []).append(index)
    accepted = set(step.accepted)
    for siblings in children.values():
        siblings.sort(
            key=lambda index: (index not in accepted, -(step.nodes[index].draft_probability or 0))
        )
    bonus = len(step.nodes)
    children.setdefault(parent(step, bonus), []).insert(0, bonus)
    return children


def rows(step: Step) -> int:
    """Rows that the tree takes: its leaves."""
    return int(max(spot.y for spot in tidy(step).values())) + 1
