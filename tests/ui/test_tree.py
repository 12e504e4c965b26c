"""The draft tree, its card and its table, on an exported file."""

import pytest
from sample_traces import sample_trace

pytestmark = pytest.mark.browser
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect  # noqa: E402  (after the skip)

from components.explain import facts  # noqa: E402
from components.selection import Place  # noqa: E402

EAGLEY = sample_trace("eagley")
TREE = "#tree-1"


def show(page, step: int, node: int | None = None) -> None:
    page.evaluate("pick => eagley.pick(pick)", {"method": "eagley", "step": step, "node": node})
    expect(page.locator(f"{TREE} .tree-title")).to_have_text(f"EAGLEY, step {step}")


def box(page) -> list[float]:
    """What the picture shows of the tree."""
    return page.locator(f"{TREE} .tree-plot").evaluate(
        "(svg) => [...svg.getAttribute('viewBox').split(' ')].map(Number)"
    )


def test_every_place_is_drawn_and_a_click_selects_it(open_export):
    page = open_export()
    step = next(s for s in EAGLEY.decode_steps if len(s.accepted) > 1)
    show(page, step.index)
    nodes = page.locator(f"{TREE} .node")
    expect(nodes).to_have_count(len(step.nodes) + 2)
    wrong = next(i for i, node in enumerate(step.nodes) if node.verdict == "rejected")
    page.locator(f"{TREE} .node[data-node='{wrong}']").click()
    card = page.locator(".card-box")
    for label, value, *_ in facts(EAGLEY, Place(step, wrong)):
        expect(card).to_contain_text(label)
        expect(card).to_contain_text(value)
    ring = page.locator(f"{TREE} .ring").get_attribute("transform")
    mark = page.locator(f"{TREE} .node[data-node='{wrong}']").get_attribute("transform")
    assert ring.replace(" ", ",") == mark.replace(" ", ",")


def test_zoom_outlives_a_step(open_export):
    page = open_export()
    show(page, 5)
    whole = box(page)
    page.locator(f"{TREE} .key.plus").click()
    zoomed = box(page)
    assert zoomed[2] < whole[2]
    show(page, 6)
    assert box(page) == zoomed
    page.locator(f"{TREE} .key.fit").click()
    assert box(page) == whole


def test_what_only_one_tree_has_is_marked(open_export):
    page = open_export()
    found = page.evaluate(
        """async () => {
          for (const step of eagley.lane('eagley').starts.keys()) {
            const { only } = await eagley.packet('eagley', step);
            if (only.length) return { step, only };
          }
          return null;
        }"""
    )
    show(page, found["step"])
    page.keyboard.press("d")
    halos = page.locator(f"{TREE} .node > circle[stroke-dasharray]")
    expect(halos).to_have_count(len(found["only"]))
    page.keyboard.press("d")
    expect(halos).to_have_count(0)


def test_a_reused_node_leads_to_where_it_was_kept_from(open_export):
    page = open_export()
    step, node = next(
        (step, i)
        for step in EAGLEY.decode_steps
        for i, node in enumerate(step.nodes)
        if node.origin and 0 < node.origin.step < step.index and step.index > 4
    )
    show(page, step.index, node)
    origin = step.nodes[node].origin
    page.locator(".card-box .origin").click()
    expect(page.locator(f"{TREE} .tree-title")).to_have_text(f"EAGLEY, step {origin.step}")
    assert page.evaluate("eagley.selection.node") == origin.node


def test_the_table_lists_the_nodes_and_sorts_them(open_export):
    page = open_export()
    step = next(s for s in EAGLEY.decode_steps if len(s.nodes) > 4)
    show(page, step.index)
    page.locator(f"{TREE} summary").click()
    expect(page.locator(f"{TREE} tbody tr")).to_have_count(len(step.nodes))
    head = page.locator(f"{TREE} th").first
    head.locator("button").click()
    head.locator("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    cells = page.locator(f"{TREE} tbody tr td:first-child").all_inner_texts()
    assert cells == [str(i) for i in reversed(range(len(step.nodes)))]


def test_a_token_tells_what_was_known_of_it(open_export):
    page = open_export()
    page.locator("#lane-eagley .token").nth(30).hover()
    hint = page.locator(".eagley-hint")
    expect(hint).to_be_visible()
    expect(hint).to_contain_text(f"step {EAGLEY.emitted[30].step}")
