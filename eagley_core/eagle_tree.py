"""Whether EAGLE's own tree held what the store brought: an untimed replay of a recorded run."""

from typing import NamedTuple

import torch

from eagley_core.drafting import Couplings, DraftStart
from eagley_core.engine import Engine
from eagley_core.grow import Cut, dynamic_tree
from eagley_core.metrics import Ratio
from eagley_core.reuse_figures import steps_after_rejection
from eagley_core.sampling import Noise
from eagley_core.trace import Step, Trace


class Held(NamedTuple):
    """What EAGLE would have had where EAGLEY took a node that its draft did not propose."""

    nodes: Ratio  # such accepted nodes, and those of them that EAGLE's tree held
    missed: Ratio  # steps after a rejection, and those with such a node that it did not hold


@torch.inference_mode()
def held_by_eagle(engine: Engine, trace: Trace) -> Held:
    """Grow EAGLE-2's tree with as many nodes as the run verified, at every decode step.

    Also where EAGLEY drafted less, or not at all. The text is taken as recorded.
    """
    after = {step.index for step in steps_after_rejection(trace)}
    hits = nodes = missed = 0
    with engine.alone():
        for step, tree in _replayed(engine, trace):
            outside = [path in tree for path in _stored_paths(step)]
            nodes, hits = nodes + len(outside), hits + sum(outside)
            missed += step.index in after and not all(outside)
    return Held(Ratio(hits, nodes), Ratio(missed, len(after)))


def _replayed(engine: Engine, trace: Trace):
    """Every decode step, and the token paths of EAGLE's tree there."""
    target, draft, config = engine.target, engine.draft, trace.config
    ids, shape = [*trace.prompt_ids, *trace.output_ids], config.tree
    cache = target.new_cache(len(ids) + target.min_rows)
    invariant = engine.is_invariant(config)
    tokens = torch.tensor(ids[:-1], device=target.device)
    features = target.prefill(tokens, cache, invariant).features
    capacity = len(ids) + shape.depth * shape.top_k + 2
    draft.start(DraftStart(capacity, config.temperature, ids[0], invariant, cache))
    couplings = Couplings(Noise(config, target.vocab_size, target.device), config)
    fed = 0
    for step in trace.decode_steps:
        root, cache.length = step.position, step.position
        levels = couplings.at(root + 1, shape.depth)
        new = features[fed:root], ids[fed + 1 : root + 1]
        first = draft.feed(*new, shape.top_k, levels[0])
        fed = root
        yield step, _paths(dynamic_tree(draft, first, ids[root], max(1, len(step.nodes)), levels))


def _paths(found: Cut) -> set[tuple[int, ...]]:
    """The tokens from the root down to every node."""
    tokens, parents = found.tree.tokens.tolist(), found.tree.parents.tolist()
    paths: list[tuple[int, ...]] = [()]
    for row in range(1, len(tokens)):
        paths.append((*paths[parents[row]], tokens[row]))
    return set(paths)


def _stored_paths(step: Step) -> list[tuple[int, ...]]:
    """The paths of accepted nodes that the draft did not propose."""
    tokens = [step.nodes[i].token_id for i in step.accepted]
    return [
        tuple(tokens[: place + 1])
        for place, i in enumerate(step.accepted)
        if "draft" not in step.nodes[i].sources
    ]
