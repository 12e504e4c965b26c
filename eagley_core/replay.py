"""What the target said at every row of a run's passes, from the hidden states that were kept."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from eagley_core.config import DecodeConfig
from eagley_core.sampling import Noise, processed, seen_tokens
from eagley_core.steps import StepFacts
from eagley_core.target import Target
from eagley_core.tree import make_tree
from eagley_core.views import Views

BATCH_ROWS = 96  # rows of one lm_head pass: many steps at once, in bounded memory


def replayed(
    target: Target, config: DecodeConfig, prompt_ids: Sequence[int], facts: Sequence[StepFacts]
) -> Iterator[Views]:
    """The target's view of each step, in order."""
    noise = Noise(config, target.vocab_size, target.device)
    committed = list(prompt_ids)
    for step, logits in _with_logits(target, facts):
        yield _views(step, logits, config, (noise, committed))
        committed += step.emitted


@torch.inference_mode()
def _views(
    step: StepFacts, logits: Tensor, config: DecodeConfig, past: tuple[Noise, list[int]]
) -> Views:
    rows, (noise, committed) = step.rows, past
    tokens, parents = (torch.tensor(column, device=logits.device) for column in rows[:2])
    tree = make_tree(tokens, parents, max(rows.depths))
    seen = None
    if config.repetition_penalty != 1:
        known = torch.tensor(committed, device=tokens.device)
        seen = seen_tokens(known, tokens, tree.mask, logits.shape[1])
    at = noise.at(step.position + 1, max(rows.depths) + 1)
    scores = processed(logits, config, seen)
    return Views(rows, tree, logits, scores, None if at is None else at[tree.depths])


def _with_logits(target: Target, facts: Sequence[StepFacts]) -> Iterator[tuple[StepFacts, Tensor]]:
    """Every step with its rows' logits [N, V] in float32, computed for many steps at once."""
    for batch in _batches(facts):
        logits = target.logits(torch.cat([step.hidden for step in batch]))
        parts = logits.split([len(step.hidden) for step in batch])
        yield from ((step, part.float()) for step, part in zip(batch, parts, strict=True))


def _batches(facts: Sequence[StepFacts]) -> Iterator[list[StepFacts]]:
    batch: list[StepFacts] = []
    for step in facts:
        if batch and sum(len(s.hidden) for s in [*batch, step]) > BATCH_ROWS:
            yield batch
            batch = []
        batch.append(step)
    if batch:
        yield batch
