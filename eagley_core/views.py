"""What the target says at every row of a pass, computed from its logits, on the host."""

import torch
from torch import Tensor

from eagley_core.judge import Standing
from eagley_core.sampling import top_tokens
from eagley_core.standing import entropies, ranks, standing, standings
from eagley_core.steps import Rows
from eagley_core.trace import Candidate, Prediction
from eagley_core.tree import Tree

TOP = 5  # likeliest next tokens kept per row
FAR = 1e30  # margin where top-k or top-p left one token only


class Views:
    """The target's view at every row, on the host.

    logits: [N, V] raw; scores: [N, V] processed; noise: alike, None at temperature 0.
    """

    def __init__(
        self, rows: Rows, tree: Tree, logits: Tensor, scores: Tensor, noise: Tensor | None
    ) -> None:
        self._rows = rows
        self._scores, self._tree = scores, tree
        log_p = logits.log_softmax(-1)
        best, ids = top_tokens(log_p, min(TOP, log_p.shape[1]))
        self._best, self._best_ids = best.exp().tolist(), ids.tolist()
        self._entropies = entropies(log_p).tolist()
        self._largest = logits.amax(-1).tolist()
        first, second = top_tokens(scores if noise is None else scores + noise, 2)[0].unbind(-1)
        self._margins = (first - second).clamp_max(FAR).tolist()
        self._at_parents(log_p, scores, noise is None)

    def _at_parents(self, log_p: Tensor, scores: Tensor, greedy: bool) -> None:
        """What each row's parent says of the row's token."""
        tokens = torch.tensor(self._rows.tokens, device=log_p.device)[:, None]
        parents = torch.tensor(self._rows.parents, device=log_p.device)
        own = log_p[parents].gather(1, tokens)
        self.raw = own.exp().flatten().tolist()
        self.ranks = ranks(log_p[parents], tokens).tolist()
        if greedy:
            choices = torch.tensor(self._rows.choices, device=log_p.device)
            self.p = (choices[parents] == tokens[:, 0]).double().tolist()
        else:
            self.p = scores[parents].softmax(-1).gather(1, tokens).flatten().tolist()

    def standings(self) -> list[Standing]:
        """How each row's token stands where its rule judges it."""
        return [standing(row) for row in standings(self._tree, self._scores).tolist()]

    def after(self, row: int) -> Prediction:
        candidates = zip(self._best_ids[row], self._best[row], strict=True)
        return Prediction(
            choice_id=self._rows.choices[row],
            entropy=self._entropies[row],
            margin=self._margins[row],
            top=tuple(Candidate(token, p) for token, p in candidates),
            logit=self._largest[row],
        )
