"""A finished run's rows and predictions held against a clean pass over the committed text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from eagley_core.clean_pass import CleanPass, clean_pass, rows_of
from eagley_core.generation import Generation
from eagley_core.internals import AgeError, DeltaErrors, Internals, Row
from eagley_core.merging import attend, merged, relative
from eagley_core.steps import StepFacts
from eagley_core.substitution import Substitution
from eagley_core.target import Target

BLOCK = 32  # rows of one comparison of logits


def with_internals(run: Generation, steps: Iterable[StepFacts]) -> Iterator[StepFacts]:
    """The steps of a run; the last one, where it finishes the run, comes with its internals."""
    facts: list[StepFacts] = []
    rows: list[Tensor] = []
    for step in steps:
        facts.append(step)
        if step.index:
            rows.append(rows_of(run.cache, step.position, run.cache.length))
        yield replace(step, internals=measured(_run(run, facts, rows))) if step.finish else step


def _run(run: Generation, facts: Sequence[StepFacts], rows: Sequence[Tensor]) -> "Run":
    prompt = rows_of(run.cache, 0, len(run.prompt_ids))
    return Run(
        target=run.target,
        rows=torch.cat([prompt, *rows], dim=-2),
        text=[*run.prompt_ids, *run.output],
        first=len(run.prompt_ids),
        facts=facts,
        substitution=run.substitution,
        invariant=run.invariant,
    )


class Run(NamedTuple):
    """A finished run."""

    target: Target
    rows: Tensor  # [layers, 2, kv_heads, n, D] each as it was when its step committed it
    text: Sequence[int]  # prompt and output
    first: int  # the position of the first output token
    facts: Sequence[StepFacts]
    substitution: Substitution
    invariant: bool


@torch.inference_mode()
def measured(run: Run) -> Internals:
    """Hold a run against a clean pass over its text."""
    n_rows = min(len(run.text) - 1, run.rows.shape[-2])
    clean = clean_pass(run.target, run.text[:n_rows], run.invariant)
    own = run.rows[..., :n_rows, :]
    gaps = relative(own, clean.kv, (-3, -1))[..., run.first :]  # [layers, 2, N]
    kl, flips = predictions(run, clean)
    return Internals(
        first=run.first,
        key_errors=_table(gaps[:, 0]),
        value_errors=_table(gaps[:, 1]),
        attention_errors=_table(attention_errors(clean, own, run.first)),
        kl=tuple(kl.tolist()),
        flips=tuple(flips.tolist()),
        ages=by_age(run, kl, flips, gaps.mean((0, 1))),
        deltas=delta_errors(run, clean),
        layer_similarity=clean.similarity,
        draft_similarity=run.substitution.similarity,
    )


def _table(rows: Tensor) -> tuple[Row, ...]:
    return tuple(tuple(row) for row in rows.tolist())


def _folded(clean: CleanPass, layer: int, first: int) -> tuple[Tensor, Tensor]:
    """Scaled queries [kv_heads, groups, N, D] from `first` on; what they may see, [N, K] bool."""
    n_heads, n_rows = clean.kv.shape[2], clean.kv.shape[3]
    seen = torch.ones(n_rows, n_rows, dtype=torch.bool, device=clean.kv.device).tril()[first:]
    query = clean.queries[layer][:, first:].unflatten(0, (n_heads, -1)).to(clean.kv.device)
    return query, seen


def attention_errors(clean: CleanPass, own: Tensor, first: int) -> Tensor:
    """Relative error of attention over a run's rows, [layers, N]."""
    errors = []
    for layer, pair in enumerate(zip(clean.kv, own, strict=True)):
        query, seen = _folded(clean, layer, first)
        exact, found = (_attended(query, kv, seen) for kv in pair)
        errors.append(relative(found, exact, (0, 1, 3)))
    return torch.stack(errors)


def _attended(query: Tensor, kv: Tensor, seen: Tensor) -> Tensor:
    keys, values = kv.float()[:, :, None]
    return attend(query, (keys, values), seen).out


def delta_errors(run: Run, clean: CleanPass) -> tuple[DeltaErrors, ...]:
    """What each Delta leaves of the error, in the layers that the draft's rows fit."""
    n_rows = clean.kv.shape[3]
    drafted = {p: kv for p, kv in run.substitution.drafted.items() if p < n_rows}
    if not drafted or n_rows <= run.first:
        return ()
    where = torch.tensor(sorted(drafted), device=clean.kv.device)
    rows = torch.stack([drafted[p] for p in sorted(drafted)], dim=-2).to(clean.kv.device)
    roots = _roots(run, n_rows).to(where.device)
    held = torch.zeros(n_rows, dtype=torch.bool, device=where.device)
    held[where] = True
    older = held & (torch.arange(n_rows, device=where.device) < roots[run.first :, None])
    choices = held.expand_as(older), older, torch.zeros_like(older)
    found = []
    for layer, own in zip(run.substitution.layers, rows, strict=True):
        draft = torch.zeros_like(clean.kv[layer])
        draft[..., where, :] = own
        errors = [_delta_error(run, clean, layer, (draft, chosen)) for chosen in choices]
        found.append(DeltaErrors(layer, *errors))
    return tuple(found)


def _delta_error(run: Run, clean: CleanPass, layer: int, stand_in: tuple[Tensor, Tensor]) -> float:
    """Mean relative error where stand_in's rows [2, kv_heads, K, D] are used as it says [N, K]."""
    query, seen = _folded(clean, layer, run.first)
    exact = _attended(query, clean.kv[layer], seen)
    (draft, chosen), own = stand_in, clean.kv[layer]
    parts = (
        attend(query, tuple(kv.float()[:, :, None]), allowed)
        for kv, allowed in ((draft, seen & chosen), (own, seen & ~chosen))
    )
    return float(relative(merged(*parts).out, exact, (0, 1, 3)).mean())


def _roots(run: Run, n_rows: int) -> Tensor:
    """Of every position, the root of the step whose pass it was in, [K]."""
    roots = torch.arange(n_rows)
    for step in run.facts[1:]:
        stop = step.position + 1 + len(step.path)
        roots[step.position : stop] = step.position
    return roots


def predictions(run: Run, clean: CleanPass) -> tuple[Tensor, Tensor]:
    """KL(clean || run) of the next token's raw distribution, and whether its argmax changed."""
    own = {}
    for step in run.facts[1:]:
        for depth, row in enumerate((0, *step.path)):
            own[step.position + depth] = step.hidden[row]
    positions = range(run.first, len(clean.hidden))
    if not positions:
        return torch.zeros(0), torch.zeros(0, dtype=torch.bool)
    pairs = torch.stack([own[p] for p in positions]), clean.hidden[run.first :]
    blocks = [_compared(run.target, *b) for b in zip(*(x.split(BLOCK) for x in pairs), strict=True)]
    return tuple(torch.cat(column) for column in zip(*blocks, strict=True))


def _compared(target: Target, own: Tensor, clean: Tensor) -> tuple[Tensor, Tensor]:
    log_q, log_p = (target.logits(x).float().log_softmax(-1) for x in (own, clean))
    kl = (log_p.exp() * (log_p - log_q)).sum(-1).clamp_min(0)
    return kl, log_p.argmax(-1) != log_q.argmax(-1)


def by_age(run: Run, kl: Tensor, flips: Tensor, gaps: Tensor) -> tuple[AgeError, ...]:
    """The same by how old the oldest stale row was that a prediction was made behind."""
    found: dict[int, list[int]] = {}
    for step in run.facts[1:]:
        oldest = max((r.age for r in step.provenances if r.provenance == "stale"), default=None)
        for depth in range(1 + len(step.path)) if oldest is not None else ():
            index = step.position + depth - run.first
            if oldest + depth and index < len(kl):
                found.setdefault(oldest + depth, []).append(index)
    return tuple(
        AgeError(age, len(at), float(kl[at].mean()), int(flips[at].sum()), float(gaps[at].mean()))
        for age, at in sorted(found.items())
    )
