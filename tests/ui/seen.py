"""What a reader sees of the page with the sample run on it."""

import re

from playwright.sync_api import expect
from sample_traces import WORDS, sample_trace

VANILLA, EAGLE, EAGLEY = (sample_trace(method) for method in ("vanilla", "eagle", "eagley"))
LANES = ("vanilla", "eagle", "eagley")


def ready(page) -> None:
    """The run and its trees are there."""
    page.wait_for_selector(".token.selected")
    page.wait_for_selector("#tree-eagley [data-node]")


def settled(page, position: int) -> None:
    """The page shows this output position everywhere."""
    expect(page.locator(".status .place")).to_have_text(f"Token {position + 1} of {len(WORDS)}")
    for lane in LANES:
        selected = page.locator(f"#lane-{lane} .token.selected")
        expect(selected).to_have_attribute("data-position", str(position))
    for trace in (EAGLE, EAGLEY):
        shows_step(page, trace, trace.emitted[position].step)


def shows_step(page, trace, step: int) -> None:
    """A tree stands at this step."""
    title = page.locator(f"#tree-{trace.config.method} .tree-title")
    expect(title).to_have_text(f"{trace.label}, step {step}")


def card_shows(page, trace, position: int) -> None:
    """The card is about the node that became this token."""
    token = trace.emitted[position]
    expect(page.locator(".card-box .where")).to_have_text(f"{trace.label}, step {token.step}")
    kind = "Bonus" if token.node is None else "Node"
    expect(page.locator(".card-box .title")).to_contain_text(f"{kind} “")


def position_of(page) -> int:
    return int(re.findall(r"\d+", page.locator(".status .place").inner_text())[0]) - 1


def step_start(trace, step: int) -> int:
    return next(i for i, token in enumerate(trace.emitted) if token.step == step)


def pick_run(page, name: str) -> None:
    page.get_by_label("Run", exact=True).click()
    page.get_by_role("option", name=name).click()


def steady_box(page, element) -> dict[str, float]:
    """Where an element is, once the page around it has come to rest."""
    boxes = [None, element.bounding_box()]
    while boxes[-1] is None or boxes[-1] != boxes[-2]:
        page.wait_for_timeout(250)
        boxes.append(element.bounding_box())
    return boxes[-1]
